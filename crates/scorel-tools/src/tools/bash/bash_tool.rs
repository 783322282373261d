//! `Bash`: runs a command.

use std::sync::Arc;

use futures_util::future::ready;
use scorel_engine::{
    BegunCall, Permit, SessionTool, Tool, ToolClass, ToolContext, ToolPlan, ToolSpec,
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

/// The runner of a session's commands, and the files that it runs them on.
type Session = (Arc<Commands>, Arc<SessionFiles>);

/// The tool of one session.
pub(crate) fn tool(commands: &Arc<Commands>, files: &Arc<SessionFiles>) -> Arc<dyn Tool> {
    Arc::new(SessionTool {
        spec: ToolSpec::of::<BashArguments>("Bash", DESCRIPTION, ToolClass::Command),
        session: (Arc::clone(commands), Arc::clone(files)),
        plan,
    })
}

/// Parses a call and opens its directory.
fn plan((commands, files): &Session, input: Value) -> Result<ToolPlan, ToolError> {
    let arguments: BashArguments = parse_arguments(input)?;
    arguments.check()?;
    let (cwd, timeout) = (arguments.cwd.as_deref(), arguments.timeout());
    let mut planned = PlannedCommand::new(files, &arguments.command, cwd, timeout)?;
    planned.wish = arguments.wish();
    let effects = vec![planned.effect()];
    let (commands, files) = (Arc::clone(commands), Arc::clone(files));
    let needing = Arc::clone(&commands);
    let need = move || needing.prerequisite();
    if arguments.background.unwrap_or(false) {
        // Nothing stands by for it: it joins the session's space.
        let start = |permit: Permit, _| async move {
            let started = commands.start_background(&files, planned, &permit).await;
            started.unwrap_or_else(|outcome| outcome)
        };
        return Ok(ToolPlan::new(effects, start).needing(need));
    }
    let (standing, standby) = (Arc::clone(&commands), planned.standby.clone());
    let begin = move |permit: Permit| {
        let begun = commands.begin(&files, planned, &permit);
        let run = |context: ToolContext| async move { begun.run(&context).await };
        ready(BegunCall::new(Vec::new(), run))
    };
    Ok(ToolPlan::recorded(effects, begin)
        .needing(need)
        .prepared_by(move |permit| standing.stand_by(permit.command, standby)))
}
