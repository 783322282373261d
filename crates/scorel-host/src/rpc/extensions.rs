//! Methods about extensions and their processes.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_proto::{
    ListExtensionsParams, ListExtensionsResult, RestartProcessParams, RestartProcessResult,
};

use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn list(
    host: Arc<Host>,
    params: ListExtensionsParams,
) -> Reply<ListExtensionsResult> {
    host.named_dir(params.project_id)?;
    let extensions = spawn_blocking(move || host.programs.list(params.logs)).await?;
    Ok(ListExtensionsResult { extensions })
}

pub(super) async fn restart(
    host: Arc<Host>,
    params: RestartProcessParams,
) -> Reply<RestartProcessResult> {
    let process = params.process.clone();
    let restarted = spawn_blocking(move || host.programs.restart(&process)).await?;
    if restarted == 0 {
        let text = format!(
            "there is no process `{}`; `getStatus` names them",
            params.process
        );
        return Err(CallError::invalid_field("process", text));
    }
    Ok(RestartProcessResult { restarted })
}
