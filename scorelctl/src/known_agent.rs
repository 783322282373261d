use scorel_client::ClientError;
use scorel_proto::{AgentInfo, ErrorCode, ListAgents, ListAgentsParams, ProjectId, RpcError};
use serde_json::json;

use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::similar::similar;

/// The agent with this name, and its quotas in the project. One that is not configured fails as the daemon's methods
/// do, with the name that was probably meant.
pub(crate) async fn known_agent(
    agent_type: &str,
    project_id: Option<ProjectId>,
    daemon: &mut DaemonClient,
) -> Result<AgentInfo, Failure> {
    let params = ListAgentsParams { project_id };
    let known = daemon.call::<ListAgents>(&params).await?.agents;
    if let Some(agent) = known.iter().find(|it| it.agent_type == agent_type) {
        return Ok(agent.clone());
    }
    let names = known.iter().map(|agent| agent.agent_type.as_str());
    let details = json!({ "agentType": agent_type, "suggestion": similar(agent_type, names) });
    let text = format!("there is no agent `{agent_type}`");
    let error = RpcError::new(ErrorCode::AgentNotFound, text).with_details(details);
    Err(ClientError::Rpc(error).into())
}
