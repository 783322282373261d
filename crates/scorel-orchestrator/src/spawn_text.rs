//! Messages to a model about its runtimes.

use scorel_engine::ToolOutcome;
use scorel_proto::{AgentTask, AgentTaskId};
use serde_json::json;

/// The result of a call that has given an agent a task. The same whether the call ran to its end or the
/// daemon found its record after a crash.
pub(crate) fn spawned(id: AgentTaskId, runtime: &AgentTask) -> ToolOutcome {
    let agent = &runtime.agent_type;
    let text = format!(
        "Agent {agent} has the task as {id}. Its result comes as a message when it has ended; \
         AgentStatus waits for it."
    );
    ToolOutcome::success(
        text,
        &json!({"runtimeId": id, "agentType": agent, "sessionId": runtime.session_id}),
    )
}
