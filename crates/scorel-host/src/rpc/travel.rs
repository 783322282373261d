//! Methods that move the active leaf: `rewind`, `branch`.

use std::sync::Arc;

use scorel_proto::{
    Branch, BranchParams, EventId, Method, MoveResult, RestoreOptions, Rewind, RewindParams,
};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};
use scorel_session::{Lane, LeafTarget, MutationCommand, RestoreChoice};

use super::caller::command;
use super::register::method;
use crate::host::Host;
use crate::rpc::call_error::CallError;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<Rewind, _, _>(table, rewind)?;
    method::<Branch, _, _>(table, branch)
}

async fn rewind(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RewindParams,
) -> Result<MoveResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, Rewind::NAME, &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    let (target, expected) = (params.target_event_id, params.expected_leaf_id);
    let Some(files) = params.restore_files else {
        let seq = lane.rewind(command, target, expected).await?;
        return Ok(MoveResult { seq, files: None });
    };
    let target = LeafTarget::Ancestor(target);
    move_and_restore((&call, &lane), command, (target, expected), files).await
}

async fn branch(
    host: Arc<Host>,
    call: RpcCall,
    mut params: BranchParams,
) -> Result<MoveResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, Branch::NAME, &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    let (leaf, expected) = (params.leaf_event_id, params.expected_leaf_id);
    let Some(files) = params.restore_files else {
        let seq = lane.branch(command, leaf, expected).await?;
        return Ok(MoveResult { seq, files: None });
    };
    let target = LeafTarget::Branch(leaf);
    move_and_restore((&call, &lane), command, (target, expected), files).await
}

/// Waits for the restore, as `restoreFiles` does.
async fn move_and_restore(
    (call, lane): (&RpcCall, &Arc<Lane>),
    command: MutationCommand,
    (target, expected_leaf): (LeafTarget, Option<EventId>),
    files: RestoreOptions,
) -> Result<MoveResult, CallError> {
    let choice = RestoreChoice {
        scope: files.scope.unwrap_or_default(),
        on_conflict: files.on_conflict.unwrap_or_default(),
    };
    let begun = lane.move_and_restore(command, target, expected_leaf, choice);
    let begun = begun.await?;
    call.written();
    let restored = lane.restored(begun).await?;
    Ok(MoveResult {
        seq: restored.seq,
        files: Some(restored),
    })
}
