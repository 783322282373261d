//! Methods that move the active leaf: `rewind`, `branch`.

use std::sync::Arc;

use scorel_proto::{Branch, BranchParams, MoveResult, RestoreOptions, Rewind, RewindParams};
use scorel_rpc::RpcCall;
use scorel_session::{Lane, LeafTarget, MoveLeaf, RestoreChoice};

use super::caller::command;
use crate::host::Host;
use crate::rpc::call_error::Reply;

pub(super) async fn rewind(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RewindParams,
) -> Reply<MoveResult> {
    let command = command::<Rewind>(&call, params.command_id.take(), &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    let leaf = MoveLeaf {
        command,
        target: LeafTarget::Ancestor(params.target_event_id),
        expected_leaf: params.expected_leaf_id,
    };
    move_leaf((&call, &lane), leaf, params.restore_files).await
}

pub(super) async fn branch(
    host: Arc<Host>,
    call: RpcCall,
    mut params: BranchParams,
) -> Reply<MoveResult> {
    let command = command::<Branch>(&call, params.command_id.take(), &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    let leaf = MoveLeaf {
        command,
        target: LeafTarget::Branch(params.leaf_event_id),
        expected_leaf: params.expected_leaf_id,
    };
    move_leaf((&call, &lane), leaf, params.restore_files).await
}

/// Waits for the restore of files, if there is one, as `restoreFiles` does.
async fn move_leaf(
    (call, lane): (&RpcCall, &Arc<Lane>),
    leaf: MoveLeaf,
    files: Option<RestoreOptions>,
) -> Reply<MoveResult> {
    let Some(files) = files else {
        let seq = lane.mutate(leaf).await?;
        return Ok(MoveResult { seq, files: None });
    };
    let choice = RestoreChoice {
        scope: files.scope.unwrap_or_default(),
        on_conflict: files.on_conflict.unwrap_or_default(),
    };
    let begun = lane.move_and_restore(leaf, choice).await?;
    call.written();
    let restored = lane.restored(begun).await?;
    Ok(MoveResult {
        seq: restored.seq,
        files: Some(restored),
    })
}
