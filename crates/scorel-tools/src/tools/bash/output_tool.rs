//! `BashOutput`: the output of a background command.

use std::sync::Arc;

use futures_util::future::ready;
use schemars::JsonSchema;
use scorel_engine::{
    SessionTool, Tool, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments,
};
use serde::Deserialize;
use serde_json::Value;

use super::{Commands, present};
use crate::error::ToolError;

const DESCRIPTION: &str = "\
Returns the output of a command that Bash started in the background: the new output since the last call, \
or the output from a byte offset on. Tells whether the command is still running.";

/// The arguments of `BashOutput`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OutputArguments {
    /// The id that Bash returned.
    id: String,
    /// The byte offset to start from. Default: the end of the last call's output.
    since_bytes: Option<u64>,
}

/// The tool of one session. It has no effects: the command was judged when it started.
pub(crate) fn tool(commands: &Arc<Commands>) -> Arc<dyn Tool> {
    let spec = ToolSpec::of::<OutputArguments>("BashOutput", DESCRIPTION, ToolClass::Command);
    Arc::new(SessionTool {
        spec: spec.read_only(),
        session: Arc::clone(commands),
        plan,
    })
}

fn plan(commands: &Arc<Commands>, input: Value) -> Result<ToolPlan, ToolError> {
    let OutputArguments { id, since_bytes } = parse_arguments(input)?;
    let commands = Arc::clone(commands);
    Ok(ToolPlan::new(Vec::new(), move |_, _| {
        let part = commands.background.read(&id, since_bytes);
        ready(part.map_or_else(ToolOutcome::from, |part| present::section(&id, &part)))
    }))
}
