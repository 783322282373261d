//! `BashStop`: stops a background command.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, ready};
use schemars::JsonSchema;
use scorel_engine::{Tool, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments};
use serde::Deserialize;

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

/// The tool `BashStop` of one session. Has no effects: it ends only what the session started.
#[derive(Debug)]
pub(crate) struct StopTool {
    spec: ToolSpec,
    commands: Arc<Commands>,
}

impl StopTool {
    pub(crate) fn new(commands: &Arc<Commands>) -> Self {
        Self {
            spec: ToolSpec::of::<StopArguments>("BashStop", DESCRIPTION, ToolClass::Command),
            commands: Arc::clone(commands),
        }
    }

    async fn run(&self, id: &str) -> Result<ToolOutcome, ToolError> {
        let run = self.commands.background.get(id)?;
        let had_ended = run.ended().is_some();
        run.stop();
        // A command that takes longer is reported as still running.
        let _in_time = tokio::time::timeout(STOP_LIMIT, run.wait()).await.is_ok();
        Ok(present::stopped(id, &run, had_ended))
    }
}

impl Tool for StopTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let plan = match parse_arguments::<StopArguments>(call.input) {
            Ok(arguments) => ToolPlan::new(Vec::new(), move |_, _| async move {
                let result = self.run(&arguments.id).await;
                result.unwrap_or_else(ToolOutcome::from)
            }),
            Err(error) => ToolPlan::answered(error),
        };
        ready(plan).boxed()
    }
}
