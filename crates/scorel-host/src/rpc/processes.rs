//! Methods about the processes that the daemon keeps.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_extension::nearest;
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
    let programs = Arc::clone(&host.programs);
    let restarted = spawn_blocking(move || programs.restart(&process)).await?;
    match restarted {
        0 => Err(unknown(&host, params.process)),
        restarted => Ok(RestartProcessResult { restarted }),
    }
}

pub(super) async fn log(
    host: Arc<Host>,
    params: GetProcessLogParams,
) -> Reply<GetProcessLogResult> {
    let log = host.programs.log(&params.process);
    let log = log.ok_or_else(|| unknown(&host, params.process))?;
    Ok(GetProcessLogResult { log })
}

fn unknown(host: &Host, name: String) -> CallError {
    let known = host.programs.processes();
    let known = known.iter().map(|it| it.process.as_str());
    CallError::UnknownName {
        kind: "process",
        suggestion: nearest(&name, known).map(str::to_owned),
        name,
    }
}
