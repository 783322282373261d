//! Methods that move the active leaf: `rewind`, `branch`.

use std::sync::Arc;

use scorel_proto::{Branch, BranchParams, Method, Rewind, RewindParams, SeqResult};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};

use super::caller::command;
use super::register::method;
use crate::call_error::CallError;
use crate::host::Host;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<Rewind, _, _>(table, rewind)?;
    method::<Branch, _, _>(table, branch)
}

async fn rewind(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RewindParams,
) -> Result<SeqResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, Rewind::NAME, &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    let (target, expected) = (params.target_event_id, params.expected_leaf_id);
    let seq = lane.rewind(command, target, expected).await?;
    Ok(SeqResult { seq })
}

async fn branch(
    host: Arc<Host>,
    call: RpcCall,
    mut params: BranchParams,
) -> Result<SeqResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, Branch::NAME, &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    let (leaf, expected) = (params.leaf_event_id, params.expected_leaf_id);
    let seq = lane.branch(command, leaf, expected).await?;
    Ok(SeqResult { seq })
}
