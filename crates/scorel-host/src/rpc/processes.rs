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
    let restart = move || match host.restart_processes(&params.process) {
        0 => known(&host, params.process).map(|()| 0),
        restarted => Ok(restarted),
    };
    let restarted = spawn_blocking(restart).await??;
    Ok(RestartProcessResult { restarted })
}

pub(super) async fn log(
    host: Arc<Host>,
    params: GetProcessLogParams,
) -> Reply<GetProcessLogResult> {
    let log = move || match host.process_log(&params.process) {
        Some(log) => Ok(log),
        None => known(&host, params.process).map(|()| String::new()),
    };
    let log = spawn_blocking(log).await??;
    Ok(GetProcessLogResult { log })
}

/// Accepts the name of a process that does not run, and may. Blocks.
fn known(host: &Host, name: String) -> Result<(), CallError> {
    let names = host.process_names();
    if names.contains(&name) {
        return Ok(());
    }
    // The kind of process, which all have in front, would make any two alike.
    let kind = name.find(':').map_or(0, |colon| colon + 1);
    let ids = names.iter().filter_map(|it| it.get(kind..));
    let like = nearest(&name[kind..], ids).map(|id| format!("{}{id}", &name[..kind]));
    Err(CallError::UnknownName {
        kind: "process",
        suggestion: like.filter(|it| names.contains(it)),
        name,
    })
}
