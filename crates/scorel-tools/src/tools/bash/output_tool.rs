//! `BashOutput`: the output of a background command.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt, ready};
use schemars::JsonSchema;
use scorel_engine::{Tool, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments};
use serde::Deserialize;

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

/// The tool `BashOutput` of one session. Has no effects: the command was judged when it started.
#[derive(Debug)]
pub(crate) struct OutputTool {
    spec: ToolSpec,
    commands: Arc<Commands>,
}

impl OutputTool {
    pub(crate) fn new(commands: &Arc<Commands>) -> Self {
        let spec = ToolSpec::of::<OutputArguments>("BashOutput", DESCRIPTION, ToolClass::Command);
        Self {
            spec: spec.read_only(),
            commands: Arc::clone(commands),
        }
    }

    fn run(&self, arguments: &OutputArguments) -> Result<ToolOutcome, ToolError> {
        let (id, since) = (&arguments.id, arguments.since_bytes);
        let part = self.commands.background.read(id, since)?;
        Ok(present::section(id, &part))
    }
}

impl Tool for OutputTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let plan = match parse_arguments(call.input) {
            Ok(arguments) => ToolPlan::new(Vec::new(), move |_, _| {
                ready(self.run(&arguments).unwrap_or_else(ToolOutcome::from))
            }),
            Err(error) => ToolPlan::answered(error),
        };
        ready(plan).boxed()
    }
}
