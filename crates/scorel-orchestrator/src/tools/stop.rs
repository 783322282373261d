use std::sync::Arc;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use scorel_engine::{Tool, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments};
use scorel_proto::AgentTaskId;
use serde::Deserialize;
use serde_json::json;

use super::session_tools::{AgentTools, failure, runtime_id};
use crate::error::OrchestratorError;
use crate::records::StopRuntime;
use crate::spawn::own_command;

const DESCRIPTION: &str = "\
Stops an agent that works for you, or takes its task back if it has not begun. What it has said so far \
comes as its result.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StopArguments {
    /// The runtime.
    runtime_id: String,
}

/// `AgentStop`.
#[derive(Debug)]
pub(super) struct AgentStop {
    tools: AgentTools,
    spec: ToolSpec,
}

impl AgentStop {
    pub(super) fn new(tools: AgentTools) -> Self {
        let spec = ToolSpec::of::<StopArguments>("AgentStop", DESCRIPTION, ToolClass::Agents);
        Self { tools, spec }
    }

    async fn run(&self, id: AgentTaskId) -> Result<ToolOutcome, OrchestratorError> {
        let lane = self.tools.lane(&[id]).await?;
        let command = own_command();
        let stopped = lane.mutate(StopRuntime { command, id }).await?;
        let text = match stopped {
            Some(_) => format!("{id} is being stopped."),
            None => format!("{id} had ended before."),
        };
        Ok(ToolOutcome::success(text, &json!({"runtimeId": id})))
    }
}

impl Tool for AgentStop {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let arguments = parse_arguments::<StopArguments>(call.input)
            .and_then(|arguments| runtime_id("runtimeId", &arguments.runtime_id));
        let plan = match arguments {
            Err(error) => ToolPlan::answered(error),
            Ok(id) => ToolPlan::new(Vec::new(), move |_, _| async move {
                let run = self.run(id).await;
                run.unwrap_or_else(|error| failure(&error))
            }),
        };
        Box::pin(std::future::ready(plan))
    }
}
