//! Lists agents, changes one, and sets how many may run at once.

mod quota;
mod set;
mod table;

use scorel_proto::{ListAgents, ListAgentsParams, ListAgentsResult};

use crate::args::{AgentsArgs, AgentsCommand};
use crate::daemon::DaemonClient;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::target;

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
    let answer = listed(args, control).await?;
    result(output, &answer, |output| {
        let mut lines = table::lines(&answer.agents).into_iter();
        lines.try_for_each(|line| output.line(&line))
    })?;
    if answer.agents.is_empty() {
        output.note("no agents are configured; `scorelctl agents set TYPE` adds one")?;
    }
    Ok(())
}

/// The agents, with the quotas of the directory's project. A look registers no project.
async fn listed(
    args: &AgentsArgs,
    control: &mut DaemonClient,
) -> Result<ListAgentsResult, Failure> {
    let directory = target::project_directory(args.project.as_deref())?;
    let project = target::project(control, &directory).await?;
    let params = ListAgentsParams {
        project_id: project.map(|project| project.project_id),
    };
    Ok(control.call::<ListAgents>(&params).await?)
}
