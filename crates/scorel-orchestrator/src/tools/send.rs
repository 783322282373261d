use schemars::JsonSchema;
use scorel_engine::{
    ArgumentError, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments,
};
use scorel_proto::{AgentTask, AgentTaskId, AgentTaskStatus, Block, WhileRunning};
use scorel_session::SendRequest;
use serde::Deserialize;
use serde_json::json;

use super::session_tools::{AgentTools, plan_of, runtime_id};
use crate::error::OrchestratorError;
use crate::records::own_command;
use crate::task_lane::TaskLane as _;

const DESCRIPTION: &str = "\
Sends a message to an agent that works for you. It reads the message before its next step. It does not \
answer questions of permission: those are for the user.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SendArguments {
    /// The runtime.
    runtime_id: String,
    /// What the agent is told.
    message: String,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec::of::<SendArguments>("AgentSend", DESCRIPTION, ToolClass::Agents)
}

pub(super) fn plan(tools: AgentTools, call: ToolCall) -> Result<ToolPlan, ToolOutcome> {
    let SendArguments {
        runtime_id: id,
        message,
    } = parse_arguments(call.input)?;
    let id = runtime_id("runtimeId", &id)?;
    if message.trim().is_empty() {
        return Err(ArgumentError::of("message", "is empty").into());
    }
    Ok(plan_of(Vec::new(), move |_| send(tools, id, message)))
}

async fn send(
    tools: AgentTools,
    id: AgentTaskId,
    message: String,
) -> Result<ToolOutcome, OrchestratorError> {
    let lane = tools.lane(&[id]).await?;
    let is_capped = lane.view(|view| {
        let turn = view.state.turn.as_ref();
        turn.is_some_and(|turn| turn.channel.is_some())
    });
    if is_capped {
        let text =
            "this turn answers a message of a channel, and the agent may do more than that allows";
        return Err(OrchestratorError::InvalidParams(text.to_owned()));
    }
    let runtime = lane.runtimes(|all| all.get(id).cloned());
    // A message to one that waits would begin it beside the quota.
    let has_begun = |runtime: &AgentTask| {
        !runtime.status.is_final() && runtime.status != AgentTaskStatus::Queued
    };
    let open = runtime.filter(has_begun);
    let Some(session_id) = open.and_then(|runtime| runtime.session_id) else {
        let text = format!(
            "{id} has ended or has not begun; AgentSpawn with `continue` gives an agent that has \
             ended another task"
        );
        return Err(OrchestratorError::InvalidParams(text));
    };
    let child = tools.orchestrator.sessions().get(session_id).await?;
    let request = SendRequest {
        command: own_command(),
        content: vec![Block::text(message)],
        while_running: WhileRunning::Steer,
        parent_event_id: None,
        expected_leaf_id: None,
        model: None,
        runner: None,
        mode: None,
        channel: None,
    };
    child.mutate(request).await?;
    Ok(ToolOutcome::success(
        format!("{id} has the message."),
        &json!({"runtimeId": id}),
    ))
}
