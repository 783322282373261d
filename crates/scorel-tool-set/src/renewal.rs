//! Another set in the place of a known one.

use std::collections::BTreeSet;
use std::sync::Arc;

use scorel_outside_tool::{ListedTool, OutsideSource, ToldTool};

use crate::listing::Listing;
use crate::set_tool::{SetTool, Telling};
use crate::tool_set::ToolSet;

/// The most tools that requests describe.
const MAX_DESCRIBED: usize = 40;

/// The share of the model's window that their descriptions may take, in percent.
const MAX_PERCENT: u64 = 10;

/// Bytes of a token.
const TOKEN: u64 = 4;

/// The most tools of a set.
const MAX_TOOLS: usize = 5000;

/// The set of what sources list. Those that list nothing now keep the tools that they had; `window` is the model's, in
/// tokens.
pub(crate) fn renewed(
    known: &ToolSet,
    sources: &[Arc<dyn OutsideSource>],
    listings: &[Listing],
    window: u64,
) -> ToolSet {
    let (mut tools, mut names) = (Vec::new(), BTreeSet::new());
    for (source, listing) in sources.iter().zip(listings) {
        let source = source.name();
        let listed: Vec<Arc<ListedTool>> = match listing {
            Listing::Tools(listed) => listed.clone(),
            Listing::Late | Listing::Missing(_) => {
                let kept = known.tools().iter().filter(|it| it.source == source);
                kept.map(|it| Arc::clone(it.told.listed())).collect()
            }
        };
        for tool in listed.into_iter().take(MAX_TOOLS - tools.len()) {
            let tool = one(known, source, tool, &names);
            names.insert(tool.told.name().to_owned());
            tools.push(tool);
        }
    }
    if is_too_large(&tools, window) {
        for tool in &mut tools {
            if tool.telling == Telling::Described {
                tool.telling = Telling::Deferred;
            }
        }
    }
    ToolSet::new(tools)
}

/// A tool as it was told before, if it still is so.
fn one(known: &ToolSet, source: &str, tool: Arc<ListedTool>, names: &BTreeSet<String>) -> SetTool {
    let before = known.of(source, &tool.name);
    let before = before.filter(|it| tool.is_told_by(it.told.listed()));
    let before = before.filter(|it| !names.contains(it.told.name()));
    match before {
        Some(before) => SetTool {
            telling: match before.telling {
                Telling::Refused => Telling::Refused,
                Telling::Described | Telling::Deferred => Telling::Described,
            },
            ..before.clone()
        },
        None => SetTool {
            source: source.to_owned(),
            told: ToldTool::new(source, tool, |name| names.contains(name)),
            telling: Telling::Described,
        },
    }
}

fn is_too_large(tools: &[SetTool], window: u64) -> bool {
    let described = || {
        let tools = tools.iter();
        tools.filter(|it| it.telling == Telling::Described)
    };
    let bytes: usize = described().map(SetTool::bytes).sum();
    let share = window.saturating_mul(MAX_PERCENT) / 100;
    described().count() > MAX_DESCRIBED || bytes as u64 / TOKEN > share
}
