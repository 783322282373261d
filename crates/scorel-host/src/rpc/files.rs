//! Methods about changed files: `previewRestore`, `restoreFiles`.

use std::sync::Arc;

use scorel_proto::{
    PreviewRestoreParams, PreviewRestoreResult, RestoreFiles, RestoreFilesParams,
    RestoreFilesResult,
};
use scorel_rpc::RpcCall;
use scorel_session::{RestoreChoice, RestorePoint};

use super::caller::command;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn preview(
    host: Arc<Host>,
    params: PreviewRestoreParams,
) -> Reply<PreviewRestoreResult> {
    let point = match (params.before_event_id, params.target_event_id) {
        (Some(event), None) => RestorePoint::Before(event),
        (None, Some(target)) => RestorePoint::After(target),
        _ => {
            let text = "either `beforeEventId` or `targetEventId` is needed";
            return Err(CallError::invalid(text));
        }
    };
    let lane = host.sessions.get(params.session_id).await?;
    let scope = params.scope.unwrap_or_default();
    Ok(lane.preview_restore(point, scope).await?)
}

/// Waits for the restore, which is bounded by the files that it names, and never for a turn.
pub(super) async fn restore(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RestoreFilesParams,
) -> Reply<RestoreFilesResult> {
    let command = command::<RestoreFiles>(&call, params.command_id.take(), &params)?;
    let choice = RestoreChoice {
        scope: params.scope.unwrap_or_default(),
        on_conflict: params.on_conflict.unwrap_or_default(),
    };
    let lane = host.sessions.get(params.session_id).await?;
    let before = params.before_event_id;
    let begun = lane.restore_files(command, before, choice).await?;
    call.written();
    Ok(lane.restored(begun).await?)
}
