//! Lists agents, changes one, and sets how many may run at once.

mod listed;
mod quota;
mod set;
mod table;

use crate::args::{AgentsArgs, AgentsCommand};
use crate::cli::Cli;
use crate::failure::Failure;

pub(super) async fn run(args: &AgentsArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    match &args.action {
        None => list(args, cli).await,
        Some(AgentsCommand::Set(changes)) => set::run(changes, cli).await,
        Some(AgentsCommand::Quota(wanted)) => quota::run(args, wanted, cli).await,
    }
}

async fn list(args: &AgentsArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let answer = listed::listed(args, cli).await?;
    cli.result(&answer, |output| output.lines(table::lines(&answer.agents)))?;
    if answer.agents.is_empty() {
        cli.note("no agents are configured; `scorelctl agents set TYPE` adds one")?;
    }
    Ok(())
}
