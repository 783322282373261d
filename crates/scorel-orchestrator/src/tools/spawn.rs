use schemars::JsonSchema;
use scorel_engine::{
    ArgumentError, Effect, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments,
};
use scorel_proto::ResultDelivery;
use serde::Deserialize;
use serde_json::Value;

use super::session_tools::{AgentTools, plan_of, runtime_id};
use crate::agents::ProjectAgents;
use crate::error::OrchestratorError;
use crate::records::{SpawnOrder, own_command};
use crate::spawn_text::spawned;
use crate::task_lane::TaskLane as _;

/// The name of the tool.
pub(crate) const NAME: &str = "AgentSpawn";

const DESCRIPTION: &str = "\
Gives an agent a task. The agent works in a session of its own and sees nothing of this conversation: the \
prompt must say all that it needs, and what to answer. Returns at once with the id of the runtime. The \
result comes as a message when the agent has ended, or from AgentStatus. Agents over their quota wait in a \
queue; spawn them all the same. To have an agent go on where it ended, name its runtime in `continue`.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SpawnArguments {
    /// The agent: one of the list.
    pub(crate) agent_type: String,
    /// The task, complete: the agent knows nothing else.
    pub(crate) prompt: String,
    /// The task in a few words.
    pub(crate) title: Option<String>,
    /// The workflow that the task belongs to, if it belongs to one.
    workflow_id: Option<String>,
    /// A runtime of yours that has ended: the agent goes on in its session.
    #[serde(rename = "continue")]
    continued: Option<String>,
}

pub(super) fn spec(agents: &ProjectAgents) -> ToolSpec {
    let description = format!("{DESCRIPTION}\n\n{}", list(agents));
    ToolSpec::of::<SpawnArguments>(NAME, &description, ToolClass::Agents)
}

pub(super) fn plan(tools: AgentTools, call: ToolCall) -> Result<ToolPlan, ToolOutcome> {
    let order = order(call)?;
    let agent_type = order.agent_type.clone();
    let effects = vec![Effect::SpawnAgent { agent_type }];
    Ok(plan_of(effects, move |_| spawn(tools, order)))
}

async fn spawn(tools: AgentTools, order: SpawnOrder) -> Result<ToolOutcome, OrchestratorError> {
    let made = tools.orchestrator.spawn(tools.session_id, order).await?;
    let id = made.runtime_id;
    let lane = tools.lane(&[]).await?;
    let outcome = lane.runtimes(|all| Some(spawned(id, all.get(id)?)));
    outcome.ok_or(OrchestratorError::AgentTaskNotFound(id))
}

/// Parses the arguments of a call.
pub(crate) fn spawn_arguments(input: Value) -> Result<SpawnArguments, ArgumentError> {
    parse_arguments(input)
}

fn order(call: ToolCall) -> Result<SpawnOrder, ToolOutcome> {
    let arguments = spawn_arguments(call.input)?;
    let continued = arguments.continued.as_deref();
    let continued = continued.map(|id| runtime_id("continue", id)).transpose()?;
    Ok(SpawnOrder {
        command: own_command(),
        agent_type: arguments.agent_type,
        prompt: arguments.prompt,
        title: arguments.title,
        workflow_id: arguments.workflow_id,
        continued,
        deliver: ResultDelivery::Turn,
        tool_call_id: Some(call.id),
    })
}

/// The agents with what they can do, a line each.
fn list(agents: &ProjectAgents) -> String {
    let enabled = agents
        .agents
        .iter()
        .filter(|(_, policy)| policy.config.enabled);
    let lines: Vec<String> = enabled
        .map(|(name, policy)| {
            let config = &policy.config;
            let can = match config.capabilities.as_slice() {
                [] => String::new(),
                can => format!(" Can: {}.", can.join(", ")),
            };
            format!(
                "- {name} ({}): {}{can}",
                config.display_name, config.description
            )
        })
        .collect();
    match lines.as_slice() {
        [] => "There are no agents: the user has to configure some.".to_owned(),
        lines => format!("Agents:\n{}", lines.join("\n")),
    }
}
