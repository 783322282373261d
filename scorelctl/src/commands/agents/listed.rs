use scorel_proto::{ListAgents, ListAgentsParams, ListAgentsResult};

use crate::args::AgentsArgs;
use crate::cli::Cli;
use crate::failure::Failure;

/// The agents, with the quotas of the directory's project. A look registers no project.
pub(super) async fn listed(
    args: &AgentsArgs,
    cli: &mut Cli<'_>,
) -> Result<ListAgentsResult, Failure> {
    let params = ListAgentsParams {
        project_id: cli.project_id(args.project.as_deref()).await?,
    };
    Ok(cli.call::<ListAgents>(&params).await?)
}
