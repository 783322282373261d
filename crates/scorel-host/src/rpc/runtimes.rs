//! Methods about what agents were given to do.

use std::sync::Arc;

use scorel_home::receipts::Effect;
use scorel_orchestrator::SpawnOrder;
use scorel_proto::{
    AgentTaskGraph, CreateSessionResult, GetGraphParams, GetRuntimeParams, GetRuntimeResult,
    ListRuntimesParams, ListRuntimesResult, MoveRuntime, MoveRuntimeParams, OpenOrchestrator,
    OpenOrchestratorParams, ResultDelivery, SeqResult, SessionId, SpawnRuntime, SpawnRuntimeParams,
    SpawnRuntimeResult, StopRuntime, StopRuntimeParams, StopRuntimeResult,
};
use scorel_rpc::RpcCall;

use super::caller::command;
use super::sessions::{limit, made};
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn open(
    host: Arc<Host>,
    call: RpcCall,
    mut params: OpenOrchestratorParams,
) -> Reply<CreateSessionResult> {
    let command = command::<OpenOrchestrator>(&call, params.command_id.take(), &params)?;
    let effect = Effect::OpenOrchestrator {
        session_id: SessionId::generate(),
        project_id: params.project_id,
    };
    made(&host, command, effect).await
}

pub(super) async fn spawn(
    host: Arc<Host>,
    call: RpcCall,
    mut params: SpawnRuntimeParams,
) -> Reply<SpawnRuntimeResult> {
    let command = command::<SpawnRuntime>(&call, params.command_id.take(), &params)?;
    let order = SpawnOrder {
        command,
        agent_type: params.agent_type,
        prompt: params.prompt,
        title: params.title,
        workflow_id: params.workflow_id,
        continued: params.continued,
        deliver: params.deliver.unwrap_or(ResultDelivery::None),
        tool_call_id: None,
    };
    Ok(host.orchestrator.spawn(params.session_id, order).await?)
}

pub(super) async fn get(host: Arc<Host>, params: GetRuntimeParams) -> Reply<GetRuntimeResult> {
    Ok(host.orchestrator.get(params.runtime_id).await?)
}

pub(super) async fn list(host: Arc<Host>, params: ListRuntimesParams) -> Reply<ListRuntimesResult> {
    host.named_dir(params.project_id)?;
    let limit = limit(params.limit, 50, 1000)?;
    Ok(host.orchestrator.list(&params, limit).await?)
}

pub(super) async fn shift(
    host: Arc<Host>,
    call: RpcCall,
    mut params: MoveRuntimeParams,
) -> Reply<SeqResult> {
    let command = command::<MoveRuntime>(&call, params.command_id.take(), &params)?;
    if params.position == 0 {
        return Err(CallError::invalid_field("position", "`position` is from 1"));
    }
    let moved = host
        .orchestrator
        .shift(command, params.runtime_id, params.position);
    Ok(SeqResult { seq: moved.await? })
}

pub(super) async fn stop(
    host: Arc<Host>,
    call: RpcCall,
    mut params: StopRuntimeParams,
) -> Reply<StopRuntimeResult> {
    let command = command::<StopRuntime>(&call, params.command_id.take(), &params)?;
    let seq = host.orchestrator.stop(command, params.runtime_id).await?;
    Ok(StopRuntimeResult { seq })
}

pub(super) async fn graph(host: Arc<Host>, params: GetGraphParams) -> Reply<AgentTaskGraph> {
    let ended = params.ended.map(|ended| ended as usize);
    Ok(host.orchestrator.graph(params.session_id, ended).await?)
}
