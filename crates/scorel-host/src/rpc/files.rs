//! Methods about changed files: `previewRestore`, `restoreFiles`.

use std::sync::Arc;

use scorel_proto::{
    Method, PreviewRestore, PreviewRestoreParams, PreviewRestoreResult, RestoreFiles,
    RestoreFilesParams, RestoreFilesResult,
};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};
use scorel_session::{RestoreChoice, RestorePoint};

use super::caller::command;
use super::register::method;
use crate::host::Host;
use crate::rpc::call_error::CallError;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<PreviewRestore, _, _>(table, preview)?;
    method::<RestoreFiles, _, _>(table, restore)
}

async fn preview(
    host: Arc<Host>,
    _: RpcCall,
    params: PreviewRestoreParams,
) -> Result<PreviewRestoreResult, CallError> {
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
async fn restore(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RestoreFilesParams,
) -> Result<RestoreFilesResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, RestoreFiles::NAME, &params)?;
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
