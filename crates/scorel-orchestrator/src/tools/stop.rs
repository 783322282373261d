use schemars::JsonSchema;
use scorel_engine::{ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments};
use scorel_proto::AgentTaskId;
use serde::Deserialize;
use serde_json::json;

use super::session_tools::{AgentTools, plan_of, runtime_id};
use crate::error::OrchestratorError;
use crate::records::{StopRuntime, own_command};

const DESCRIPTION: &str = "\
Stops an agent that works for you, or takes its task back if it has not begun. What it has said so far \
comes as its result.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StopArguments {
    /// The runtime.
    runtime_id: String,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec::of::<StopArguments>("AgentStop", DESCRIPTION, ToolClass::Agents)
}

pub(super) fn plan(tools: AgentTools, call: ToolCall) -> Result<ToolPlan, ToolOutcome> {
    let arguments: StopArguments = parse_arguments(call.input)?;
    let id = runtime_id("runtimeId", &arguments.runtime_id)?;
    Ok(plan_of(Vec::new(), move |_| stop(tools, id)))
}

async fn stop(tools: AgentTools, id: AgentTaskId) -> Result<ToolOutcome, OrchestratorError> {
    let lane = tools.lane(&[id]).await?;
    let command = own_command();
    let stopped = lane.mutate(StopRuntime { command, id }).await?;
    let text = match stopped {
        Some(_) => format!("{id} is being stopped."),
        None => format!("{id} had ended before."),
    };
    Ok(ToolOutcome::success(text, &json!({"runtimeId": id})))
}
