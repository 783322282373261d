//! `Bash`: runs a command.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_runtime::{
    Permit, Tool, ToolCall, ToolClass, ToolContext, ToolOutcome, ToolPlan, ToolSpec, blocking,
    parse_arguments,
};
use serde_json::Value;

use super::bash_arguments::BashArguments;
use super::{Commands, PlannedCommand};
use crate::error::ToolError;
use crate::session_files::SessionFiles;

const DESCRIPTION: &str = "\
Runs a command in bash and answers its output, standard output and error together, and how it \
ended. Each call is a new shell in the project's directory: variables and `cd` do not last. There is no \
input and no terminal. Unless the user allows more, a command can write in the project, in `$TMPDIR` and in \
package caches only, and has no network; where `network` asks for it, the user may allow it. When the shell ends, what it has left running is ended too; \
use `background` for servers and watchers, then BashOutput and BashStop. Of long output the \
beginning and the end are shown; filter with grep, head or tail. For reading, finding and changing files \
the other tools are better.";

/// The tool `Bash` of one session.
#[derive(Debug)]
pub(crate) struct BashTool {
    spec: ToolSpec,
    commands: Arc<Commands>,
    files: Arc<SessionFiles>,
}

impl BashTool {
    pub(crate) fn new(commands: &Arc<Commands>, files: &Arc<SessionFiles>) -> Self {
        Self {
            spec: ToolSpec::of::<BashArguments>("Bash", DESCRIPTION, ToolClass::Command),
            commands: Arc::clone(commands),
            files: Arc::clone(files),
        }
    }

    /// Parses a call and opens its directory. Blocks.
    fn parse(&self, input: Value) -> Result<(PlannedCommand, bool), ToolError> {
        let arguments: BashArguments = parse_arguments(input)?;
        arguments.check()?;
        let cwd = arguments.cwd.as_deref();
        let (command, timeout) = (&arguments.command, arguments.timeout());
        let planned = PlannedCommand::new(&self.files, command, cwd, timeout)?
            .with_network(arguments.network.unwrap_or(false));
        Ok((planned, arguments.background.unwrap_or(false)))
    }

    async fn run(
        self: Arc<Self>,
        (command, background): (PlannedCommand, bool),
        permit: Permit,
        context: ToolContext,
    ) -> ToolOutcome {
        if background {
            let started = self
                .commands
                .start_background(&self.files, command, &permit);
            started.await.unwrap_or_else(|outcome| outcome)
        } else {
            self.commands
                .run(&self.files, command, &permit, &context)
                .await
        }
    }
}

impl Tool for BashTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        Box::pin(async move {
            let tool = Arc::clone(&self);
            match blocking(move || tool.parse(call.input)).await {
                Ok((command, background)) => {
                    let effects = vec![command.effect()];
                    ToolPlan::new(effects, move |permit, context| {
                        self.run((command, background), permit, context)
                    })
                }
                Err(outcome) => ToolPlan::answered(outcome),
            }
        })
    }
}
