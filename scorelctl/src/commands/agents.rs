//! Lists agents, changes one, and sets how many may run at once.

mod quota;
mod set;
mod table;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use scorel_proto::{ListAgents, ListAgentsParams};

use crate::cli::Cli;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct AgentsArgs {
    /// Project directory, for its quotas and runtimes [default: the working directory]
    #[arg(long, short, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) action: Option<AgentsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// Add an agent to your configuration, or change one; what is not named stays
    Set(Box<set::SetAgentArgs>),
    /// Tell or set how many runtimes of an agent may run at once in the project
    Quota(quota::QuotaArgs),
}

pub(super) async fn run(args: &AgentsArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let project = args.project.as_deref();
    match &args.action {
        None => list(project, cli).await,
        Some(AgentsCommand::Set(changes)) => set::run(changes, cli).await,
        Some(AgentsCommand::Quota(wanted)) => quota::run(wanted, project, cli).await,
    }
}

async fn list(project: Option<&Path>, cli: &mut Cli<'_>) -> Result<(), Failure> {
    // A look registers no project.
    let params = ListAgentsParams {
        project_id: cli.project_or_none(project).await?,
    };
    let answer = cli.call::<ListAgents>(&params).await?;
    let none = "no agents are configured; `scorelctl agents set TYPE` adds one";
    cli.list(&answer, table::lines(&answer.agents), none)
}
