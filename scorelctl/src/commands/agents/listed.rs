use scorel_proto::{ListAgents, ListAgentsParams, ListAgentsResult};

use crate::args::AgentsArgs;
use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::target;

/// The agents, with the quotas of the directory's project. A look registers no project.
pub(super) async fn listed(
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
