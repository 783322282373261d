//! `Bash`: runs a command.

use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_engine::{
    BegunCall, Permit, Tool, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec, blocking,
    parse_arguments,
};
use serde_json::Value;

use super::bash_arguments::BashArguments;
use super::{Commands, PlannedCommand};
use crate::error::ToolError;
use crate::session_files::SessionFiles;

const DESCRIPTION: &str = "\
Runs a command in bash and returns its output (standard output and standard error combined) and its exit \
status. Each call is a new shell in the project's directory: variables and `cd` do not persist. There is no \
standard input and no terminal. In the sandbox a command can write only to the project, \
`$TMPDIR` and some caches, has no network access and reaches no service of the machine. Set `network` to \
ask for network access. Set `outside`, with a `reason`, to ask for a run without the sandbox: only for a command \
that cannot work in it, such as docker, ssh or gh, and only that command. When the shell exits, \
processes it left running are killed; use `background` for servers and watchers, then BashOutput and \
BashStop. Long output is shown with its middle omitted; filter with grep, head or tail.";

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
        let planned = PlannedCommand::new(&self.files, command, cwd, timeout)?;
        let planned = match arguments.outside_reason() {
            Some(reason) => planned.outside_sandbox(reason),
            None => planned.with_network(arguments.network.unwrap_or(false)),
        };
        Ok((planned, arguments.background.unwrap_or(false)))
    }

    fn begin(&self, command: PlannedCommand, permit: &Permit) -> BegunCall {
        let begun = self.commands.begin(&self.files, command, permit);
        BegunCall::new(
            Vec::new(),
            |context| async move { begun.run(&context).await },
        )
    }

    async fn start_background(
        self: Arc<Self>,
        command: PlannedCommand,
        permit: Permit,
    ) -> ToolOutcome {
        let started = self
            .commands
            .start_background(&self.files, command, &permit);
        started.await.unwrap_or_else(|outcome| outcome)
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
                    let needing = Arc::clone(&self.commands);
                    let need = move || needing.prerequisite();
                    if background {
                        // Nothing stands by for it: it joins the session's space.
                        return ToolPlan::new(effects, move |permit, _| {
                            self.start_background(command, permit)
                        })
                        .needing(need);
                    }
                    let (commands, standby) = (Arc::clone(&self.commands), command.standby.clone());
                    let begin = move |permit| ready(self.begin(command, &permit));
                    ToolPlan::recorded(effects, begin)
                        .needing(need)
                        .prepared_by(move |permit| commands.stand_by(permit.command, standby))
                }
                Err(outcome) => ToolPlan::answered(outcome),
            }
        })
    }
}
