//! Methods about what agents were given to do.

use std::sync::Arc;

use scorel_home::receipts::Effect;
use scorel_orchestrator::SpawnOrder;
use scorel_proto::{
    AgentTaskGraph, CreateSessionResult, GetGraph, GetGraphParams, GetRuntime, GetRuntimeParams,
    GetRuntimeResult, ListRuntimes, ListRuntimesParams, ListRuntimesResult, Method, MoveRuntime,
    MoveRuntimeParams, OpenOrchestrator, OpenOrchestratorParams, ResultDelivery, SeqResult,
    SessionId, SpawnRuntime, SpawnRuntimeParams, SpawnRuntimeResult, StopRuntime,
    StopRuntimeParams, StopRuntimeResult,
};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};

use super::caller::command;
use super::register::method;
use super::sessions::{limit, made, project_dir};
use crate::host::Host;
use crate::rpc::call_error::CallError;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<OpenOrchestrator, _, _>(table, open)?;
    method::<SpawnRuntime, _, _>(table, spawn)?;
    method::<GetRuntime, _, _>(table, get)?;
    method::<ListRuntimes, _, _>(table, list)?;
    method::<MoveRuntime, _, _>(table, shift)?;
    method::<StopRuntime, _, _>(table, stop)?;
    method::<GetGraph, _, _>(table, graph)
}

async fn open(
    host: Arc<Host>,
    call: RpcCall,
    mut params: OpenOrchestratorParams,
) -> Result<CreateSessionResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, OpenOrchestrator::NAME, &params)?;
    let effect = Effect::OpenOrchestrator {
        session_id: SessionId::generate(),
        project_id: params.project_id,
    };
    made(&host, command, effect).await
}

async fn spawn(
    host: Arc<Host>,
    call: RpcCall,
    mut params: SpawnRuntimeParams,
) -> Result<SpawnRuntimeResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, SpawnRuntime::NAME, &params)?;
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

async fn get(
    host: Arc<Host>,
    _: RpcCall,
    params: GetRuntimeParams,
) -> Result<GetRuntimeResult, CallError> {
    Ok(host.orchestrator.get(params.runtime_id).await?)
}

async fn list(
    host: Arc<Host>,
    _: RpcCall,
    params: ListRuntimesParams,
) -> Result<ListRuntimesResult, CallError> {
    if let Some(id) = params.project_id {
        project_dir(&host, id)?;
    }
    let limit = limit(params.limit, 50, 1000)?;
    Ok(host.orchestrator.list(&params, limit).await?)
}

async fn shift(
    host: Arc<Host>,
    call: RpcCall,
    mut params: MoveRuntimeParams,
) -> Result<SeqResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, MoveRuntime::NAME, &params)?;
    if params.position == 0 {
        return Err(CallError::invalid_field("position", "`position` is from 1"));
    }
    let moved = host
        .orchestrator
        .shift(command, params.runtime_id, params.position);
    Ok(SeqResult { seq: moved.await? })
}

async fn stop(
    host: Arc<Host>,
    call: RpcCall,
    mut params: StopRuntimeParams,
) -> Result<StopRuntimeResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, StopRuntime::NAME, &params)?;
    let seq = host.orchestrator.stop(command, params.runtime_id).await?;
    Ok(StopRuntimeResult { seq })
}

async fn graph(
    host: Arc<Host>,
    _: RpcCall,
    params: GetGraphParams,
) -> Result<AgentTaskGraph, CallError> {
    let ended = params.ended.map(|ended| ended as usize);
    Ok(host.orchestrator.graph(params.session_id, ended).await?)
}
