use std::sync::Arc;

use scorel_engine::Tool;
use scorel_outside_tool::{OutsideReading, OutsideRun, OutsideSource, OutsideTool};
use scorel_proto::{CustomMessageBody, NoticeBody, ToolSetBody};

use crate::call_tool::CallTool;
use crate::gone_run::GoneRun;
use crate::set_run::SetRun;
use crate::set_tool::{SetTool, Telling};
use crate::tool_search::ToolSearch;
use crate::tool_set::ToolSet;

/// The tools from outside in a turn, and what is to be recorded of them.
#[derive(Debug, Default)]
pub struct TurnTools {
    /// The tools that requests describe, sorted by name; then the two that find and call others, if there are others.
    pub offered: Vec<Arc<dyn Tool>>,
    /// The tools that the model finds and calls with them.
    pub deferred: Vec<Arc<dyn Tool>>,
    /// The set, if it is another than the known one.
    pub set: Option<ToolSetBody>,
    /// Reminders for the model.
    pub message: Option<CustomMessageBody>,
    /// Notices for people.
    pub notices: Vec<NoticeBody>,
}

impl TurnTools {
    /// The tools of a set, called at its sources.
    pub(crate) fn of(set: &Arc<ToolSet>, sources: &[Arc<dyn OutsideSource>]) -> Self {
        let mut tools = Self::default();
        for tool in set.tools() {
            let source = sources.iter().find(|it| it.name() == tool.source);
            let made = Arc::new(made(tool, source)) as Arc<dyn Tool>;
            match tool.telling {
                Telling::Described => tools.offered.push(made),
                Telling::Deferred | Telling::Refused => tools.deferred.push(made),
            }
        }
        if !tools.deferred.is_empty() {
            tools
                .offered
                .push(Arc::new(ToolSearch::new(Arc::clone(set))));
            tools.offered.push(Arc::new(CallTool::default()));
        }
        tools
    }
}

fn made(tool: &SetTool, source: Option<&Arc<dyn OutsideSource>>) -> OutsideTool {
    let listed = tool.told.listed();
    let gone = || {
        format!(
            "{} is not configured, or may not be used any more",
            tool.source
        )
    };
    let run = source.ok_or_else(gone).and_then(|it| it.run(listed));
    let run: Arc<dyn OutsideRun> = match (source, run) {
        (Some(source), Ok(run)) => Arc::new(SetRun {
            source: Arc::clone(source),
            told: Arc::clone(listed),
            run,
        }),
        (_, Err(reason)) => Arc::new(GoneRun { reason }),
        (None, Ok(run)) => run,
    };
    let reading = source.map_or(OutsideReading::Unknown, |it| {
        it.reading(listed.says_read_only)
    });
    OutsideTool::new(tool.told.clone(), reading, run)
}
