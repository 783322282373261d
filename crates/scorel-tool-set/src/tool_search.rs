use std::future::ready;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use scorel_engine::{Tool, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments};
use serde::Deserialize;
use serde_json::{Map, json};

use crate::search::found;
use crate::set_tool::SetTool;
use crate::tool_set::ToolSet;

const DESCRIPTION: &str = "\
Finds tools that are not described here, by words of their names and descriptions, or by a whole name. Answers with \
descriptions and the schemas of arguments; call a tool that it has found with ToolCall.";

/// Tools in an answer.
const MAX_FOUND: usize = 5;

/// Bytes of an answer.
const MAX_BYTES: usize = 24 * 1024;

/// Names of others in an answer.
const MAX_NAMES: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    /// Words for what the tool is to do, or its name.
    query: String,
}

/// `ToolSearch`: finds tools that requests do not describe.
#[derive(Debug)]
pub struct ToolSearch {
    spec: ToolSpec,
    set: Arc<ToolSet>,
}

impl ToolSearch {
    pub fn new(set: Arc<ToolSet>) -> Self {
        let spec = ToolSpec::of::<SearchArguments>("ToolSearch", DESCRIPTION, ToolClass::Outside);
        Self {
            spec: spec.read_only(),
            set,
        }
    }

    fn answer(&self, query: &str) -> ToolOutcome {
        let found = found(self.set.searched(), query);
        if found.is_empty() {
            let all = self.set.searched().count();
            let message = format!("none of the {all} tools fits these words; try others");
            return ToolOutcome::failure("E_NOT_FOUND", &message, Map::new());
        }
        let (mut text, mut shown) = (String::new(), 0);
        for tool in found.iter().take(MAX_FOUND) {
            let entry = entry(tool);
            if shown > 0 && text.len() + entry.len() > MAX_BYTES {
                break;
            }
            text.push_str(&entry);
            shown += 1;
        }
        let others = found[shown..].iter().take(MAX_NAMES);
        let others: Vec<&str> = others.map(|tool| tool.told.name()).collect();
        if !others.is_empty() {
            text.push_str(&format!("Others: {}\n", others.join(", ")));
        }
        let names: Vec<&str> = found[..shown].iter().map(|it| it.told.name()).collect();
        ToolOutcome::success(text, &json!({ "found": names }))
    }
}

fn entry(tool: &SetTool) -> String {
    let listed = tool.told.listed();
    let (name, schema) = (tool.told.name(), listed.schema.json());
    format!(
        "## {name}\n{}\ninput: {schema}\n\n",
        listed.description.trim()
    )
}

impl Tool for ToolSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        Box::pin(ready(match parse_arguments(call.input) {
            Ok(SearchArguments { query }) => ToolPlan::answered(self.answer(&query)),
            Err(error) => ToolPlan::answered(error),
        }))
    }
}
