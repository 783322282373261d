//! Methods about the processes that the daemon keeps.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_proto::{
    GetProcessLogParams, GetProcessLogResult, RestartProcessParams, RestartProcessResult,
};

use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn restart(
    host: Arc<Host>,
    params: RestartProcessParams,
) -> Reply<RestartProcessResult> {
    let process = params.process.clone();
    let restarted = spawn_blocking(move || host.programs.restart(&process)).await?;
    match restarted {
        0 => Err(unknown(&params.process)),
        restarted => Ok(RestartProcessResult { restarted }),
    }
}

pub(super) async fn log(
    host: Arc<Host>,
    params: GetProcessLogParams,
) -> Reply<GetProcessLogResult> {
    let log = host.programs.log(&params.process);
    let log = log.ok_or_else(|| unknown(&params.process))?;
    Ok(GetProcessLogResult { log })
}

fn unknown(process: &str) -> CallError {
    let text = format!("there is no process `{process}` in use; `getStatus` names them");
    CallError::invalid_field("process", text)
}
