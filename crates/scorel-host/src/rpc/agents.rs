//! Methods about the agents themselves: `listAgents`, `setAgent`, `setQuota`.

use std::sync::Arc;

use scorel_proto::{
    AgentInfo, ListAgents, ListAgentsParams, ListAgentsResult, Method, ProjectId, SetAgent,
    SetAgentParams, SetAgentResult, SetQuota, SetQuotaParams, SetQuotaResult,
};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};

use super::caller::command;
use super::register::method;
use crate::blocking::blocking;
use crate::call_error::CallError;
use crate::config::{AgentTexts, check_agent_name};
use crate::host::Host;
use crate::projects::{ProjectError, check_policy};
use crate::receipts::Effect;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<ListAgents, _, _>(table, list)?;
    method::<SetAgent, _, _>(table, set_agent)?;
    method::<SetQuota, _, _>(table, set_quota)
}

async fn list(
    host: Arc<Host>,
    _: RpcCall,
    params: ListAgentsParams,
) -> Result<ListAgentsResult, CallError> {
    let agents = host.agents();
    let agents = blocking(move || agents.list(params.project_id)).await??;
    Ok(ListAgentsResult { agents })
}

async fn set_agent(
    host: Arc<Host>,
    call: RpcCall,
    mut params: SetAgentParams,
) -> Result<SetAgentResult, CallError> {
    check_texts(&params)?;
    let id = params.command_id.take();
    let command = command(&call, id, SetAgent::NAME, &params)?;
    let agent_type = params.agent_type.clone();
    host.mutate(command, Effect::SetAgent { params }).await?;
    Ok(SetAgentResult {
        agent: agent(&host, None, agent_type).await?,
    })
}

async fn set_quota(
    host: Arc<Host>,
    call: RpcCall,
    mut params: SetQuotaParams,
) -> Result<SetQuotaResult, CallError> {
    check_agent_name(&params.agent_type)?;
    check_policy(&params.policy).map_err(|error| CallError::Project {
        error: ProjectError::Quota(error),
        path: None,
    })?;
    let id = params.command_id.take();
    let command = command(&call, id, SetQuota::NAME, &params)?;
    let (project_id, agent_type) = (params.project_id, params.agent_type.clone());
    host.mutate(command, Effect::SetQuota { params }).await?;
    Ok(SetQuotaResult {
        agent: agent(&host, Some(project_id), agent_type).await?,
    })
}

/// Before the receipt, which would keep a text of any length.
fn check_texts(params: &SetAgentParams) -> Result<(), CallError> {
    let texts = AgentTexts {
        name: &params.agent_type,
        display_name: params.display_name.as_deref(),
        description: params.description.as_deref(),
        capabilities: params.capabilities.as_deref(),
        runner: params.runner.as_deref(),
        model: params.model.as_deref(),
        prompt: params.prompt.as_deref(),
    };
    Ok(texts.check()?)
}

async fn agent(
    host: &Host,
    project: Option<ProjectId>,
    agent_type: String,
) -> Result<AgentInfo, CallError> {
    let agents = host.agents();
    blocking(move || agents.get(project, &agent_type)).await?
}
