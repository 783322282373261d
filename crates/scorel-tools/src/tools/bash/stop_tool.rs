//! `BashStop`: stops a background command.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use scorel_engine::{
    SessionTool, Tool, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments,
};
use serde::Deserialize;
use serde_json::Value;

use super::{Commands, present};
use crate::error::ToolError;

/// Longer than the supervisor takes from the signal to the last kill.
const STOP_LIMIT: Duration = Duration::from_secs(10);

const DESCRIPTION: &str = "\
Stops a command that Bash started in the background, with all its processes.";

/// The arguments of `BashStop`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StopArguments {
    /// The id that Bash returned.
    id: String,
}

/// The tool of one session. It has no effects: it ends only what the session started.
pub(crate) fn tool(commands: &Arc<Commands>) -> Arc<dyn Tool> {
    Arc::new(SessionTool {
        spec: ToolSpec::of::<StopArguments>("BashStop", DESCRIPTION, ToolClass::Command),
        session: Arc::clone(commands),
        plan,
    })
}

fn plan(commands: &Arc<Commands>, input: Value) -> Result<ToolPlan, ToolError> {
    let StopArguments { id } = parse_arguments(input)?;
    let commands = Arc::clone(commands);
    Ok(ToolPlan::new(Vec::new(), |_, _| async move {
        let result = stop(&commands, &id).await;
        result.unwrap_or_else(ToolOutcome::from)
    }))
}

async fn stop(commands: &Commands, id: &str) -> Result<ToolOutcome, ToolError> {
    let run = commands.background.get(id)?;
    let had_ended = run.ended().is_some();
    run.stop();
    // A command that takes longer is reported as still running.
    let _in_time = tokio::time::timeout(STOP_LIMIT, run.wait()).await.is_ok();
    Ok(present::stopped(id, &run, had_ended))
}
