use scorel_client::ClientError;
use scorel_proto::{AgentInfo, ErrorCode, RpcError};
use serde_json::json;

use crate::failure::Failure;
use crate::similar::similar;

/// The failure that the daemon would report, where it is not asked.
pub(crate) fn unknown_agent(agent_type: &str, known: &[AgentInfo]) -> Failure {
    let names = known.iter().map(|agent| agent.agent_type.as_str());
    let details = json!({ "agentType": agent_type, "suggestion": similar(agent_type, names) });
    let text = format!("there is no agent `{agent_type}`");
    let error = RpcError::new(ErrorCode::AgentNotFound, text).with_details(details);
    ClientError::Rpc(error).into()
}
