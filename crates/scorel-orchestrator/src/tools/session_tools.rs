use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_engine::{
    ArgumentError, Effect, Tool, ToolCall, ToolContext, ToolOutcome, ToolPlan, ToolSpec,
};
use scorel_proto::{AgentTaskId, SessionId};
use serde_json::Map;

use crate::error::OrchestratorError;
use crate::orchestrator::Orchestrator;
use crate::task_lane::TaskLane as _;

/// What the tools of a session share.
#[derive(Debug, Clone)]
pub(super) struct AgentTools {
    pub(super) orchestrator: Arc<Orchestrator>,
    pub(super) session_id: SessionId,
}

/// Plans a call, or tells why it cannot run.
type PlanCall = fn(AgentTools, ToolCall) -> Result<ToolPlan, ToolOutcome>;

#[derive(Debug)]
struct AgentTool {
    spec: ToolSpec,
    tools: AgentTools,
    plan: PlanCall,
}

impl Tool for AgentTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let planned = (self.plan)(self.tools.clone(), call);
        Box::pin(ready(planned.unwrap_or_else(ToolPlan::answered)))
    }
}

impl AgentTools {
    pub(super) fn tool(&self, spec: ToolSpec, plan: PlanCall) -> Arc<dyn Tool> {
        let tools = self.clone();
        Arc::new(AgentTool { spec, tools, plan })
    }

    /// Fails for a runtime of another session: a model steers what it has spawned.
    pub(super) async fn lane(
        &self,
        ids: &[AgentTaskId],
    ) -> Result<Arc<scorel_session::Lane>, OrchestratorError> {
        let lane = self.orchestrator.sessions().get(self.session_id).await?;
        let foreign = ids.iter().find(|id| lane.runtime(**id).is_none());
        match foreign {
            Some(id) => Err(OrchestratorError::AgentTaskNotFound(*id)),
            None => Ok(lane),
        }
    }
}

/// The id of a runtime, as the model has it from `AgentSpawn`.
pub(super) fn runtime_id(field: &str, text: &str) -> Result<AgentTaskId, ArgumentError> {
    text.parse()
        .map_err(|_| ArgumentError::of(field, "is not the id of a runtime, such as `rti_01…`"))
}

/// A plan whose errors are outcomes for the model.
pub(super) fn plan_of<F>(
    effects: Vec<Effect>,
    run: impl FnOnce(ToolContext) -> F + Send + 'static,
) -> ToolPlan
where
    F: Future<Output = Result<ToolOutcome, OrchestratorError>> + Send + 'static,
{
    ToolPlan::new(effects, |_, context| {
        let running = run(context);
        async move { running.await.unwrap_or_else(|error| failure(&error)) }
    })
}

/// An error as the model gets it.
fn failure(error: &OrchestratorError) -> ToolOutcome {
    let code = match error {
        OrchestratorError::AgentNotFound { .. } => "agent_not_found",
        OrchestratorError::AgentTaskNotFound(_) => "runtime_not_found",
        OrchestratorError::InvalidParams(_) => "E_INVALID_ARGUMENTS",
        OrchestratorError::Hook(_) => "E_HOOK_DENIED",
        OrchestratorError::Session(error) => error.code().name(),
    };
    let mut facts = Map::new();
    if let OrchestratorError::Session(scorel_session::SessionError::SpawnRefused { kind, limit }) =
        error
    {
        facts.insert("kind".to_owned(), kind.name().into());
        if let Some(limit) = limit {
            facts.insert("limit".to_owned(), (*limit).into());
        }
    }
    ToolOutcome::failure(code, &error.to_string(), facts)
}
