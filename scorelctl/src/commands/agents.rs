//! Lists agents, changes one, and sets how many may run at once.

mod listed;
mod quota;
mod set;
mod table;

use crate::args::{AgentsArgs, AgentsCommand};
use crate::daemon::DaemonClient;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};

pub(super) async fn run(
    args: &AgentsArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match &args.action {
        None => list(args, control, output).await?,
        Some(AgentsCommand::Set(changes)) => set::run(changes, control, output).await?,
        Some(AgentsCommand::Quota(wanted)) => quota::run(args, wanted, control, output).await?,
    }
    Ok(Exit::Success)
}

async fn list(
    args: &AgentsArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<(), Failure> {
    let answer = listed::listed(args, control).await?;
    result(output, &answer, |output| {
        let mut lines = table::lines(&answer.agents).into_iter();
        lines.try_for_each(|line| output.line(&line))
    })?;
    if answer.agents.is_empty() {
        output.note("no agents are configured; `scorelctl agents set TYPE` adds one")?;
    }
    Ok(())
}
