use std::path::Path;

use scorel_proto::{ListAgents, ListAgentsParams, ListAgentsResult};

use crate::cli::Cli;
use crate::failure::Failure;

/// The agents, with the quotas of the directory's project. A look registers no project.
pub(super) async fn listed(
    project: Option<&Path>,
    cli: &mut Cli<'_>,
) -> Result<ListAgentsResult, Failure> {
    let params = ListAgentsParams {
        project_id: cli.project_id(project).await?,
    };
    Ok(cli.call::<ListAgents>(&params).await?)
}
