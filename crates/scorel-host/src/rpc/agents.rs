//! Methods about the agents themselves: `listAgents`, `setAgent`, `setQuota`.

use std::sync::Arc;

use scorel_config::{AgentTexts, check_agent_name};
use scorel_home::receipts::Effect;
use scorel_home::{ProjectError, check_policy};
use scorel_proto::{
    ListAgentsParams, ListAgentsResult, SetAgent, SetAgentParams, SetAgentResult, SetQuota,
    SetQuotaParams, SetQuotaResult,
};
use scorel_rpc::RpcCall;

use super::caller::command;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn list(host: Arc<Host>, params: ListAgentsParams) -> Reply<ListAgentsResult> {
    let agents = host.list_agents(params.project_id).await?;
    Ok(ListAgentsResult { agents })
}

pub(super) async fn set_agent(
    host: Arc<Host>,
    call: RpcCall,
    mut params: SetAgentParams,
) -> Reply<SetAgentResult> {
    check_texts(&params)?;
    let command = command::<SetAgent>(&call, params.command_id.take(), &params)?;
    let agent_type = params.agent_type.clone();
    host.mutate(command, Effect::SetAgent { params }).await?;
    Ok(SetAgentResult {
        agent: host.agent(None, &agent_type).await?,
    })
}

pub(super) async fn set_quota(
    host: Arc<Host>,
    call: RpcCall,
    mut params: SetQuotaParams,
) -> Reply<SetQuotaResult> {
    check_agent_name(&params.agent_type)?;
    let policies = [Some(&params.policy), params.expected.as_ref()];
    let checked = policies.into_iter().flatten().try_for_each(check_policy);
    checked.map_err(ProjectError::Quota)?;
    let command = command::<SetQuota>(&call, params.command_id.take(), &params)?;
    let (project_id, agent_type) = (params.project_id, params.agent_type.clone());
    host.mutate(command, Effect::SetQuota { params }).await?;
    Ok(SetQuotaResult {
        agent: host.agent(Some(project_id), &agent_type).await?,
    })
}

/// Before the receipt, which would keep a text of any length.
fn check_texts(params: &SetAgentParams) -> Result<(), CallError> {
    fn text(text: &Option<Option<String>>) -> Option<&str> {
        text.as_ref()?.as_deref()
    }
    let texts = AgentTexts {
        name: &params.agent_type,
        display_name: text(&params.display_name),
        description: text(&params.description),
        capabilities: params.capabilities.as_ref().and_then(Option::as_deref),
        runner: text(&params.runner),
        model: text(&params.model),
        prompt: text(&params.prompt),
    };
    Ok(texts.check()?)
}
