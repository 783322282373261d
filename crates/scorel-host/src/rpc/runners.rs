//! Methods about runners: `listRunners`, `checkRunner`, `forgetContext`.

use std::path::PathBuf;
use std::sync::Arc;

use scorel_config::Config;
use scorel_engine::spawn_blocking;
use scorel_proto::{
    CheckRunnerParams, CheckRunnerResult, ForgetContext, ForgetContextParams, ForgetContextResult,
    ListRunnersParams, ListRunnersResult, OWN_RUNNER,
};
use scorel_rpc::RpcCall;
use scorel_session::ContextRemoval;

use super::caller::command;
use super::sessions::check_runner;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};
use crate::runners::HostRunners;

pub(super) async fn list(host: Arc<Host>, params: ListRunnersParams) -> Reply<ListRunnersResult> {
    let project = host.named_dir(params.project_id)?;
    let config = config(&host, project.clone()).await?;
    let dir = project.unwrap_or_else(home);
    Ok(ListRunnersResult {
        runners: host.runners.list(&config, &dir).await,
    })
}

pub(super) async fn check(host: Arc<Host>, params: CheckRunnerParams) -> Reply<CheckRunnerResult> {
    let name = params.runner;
    if name == OWN_RUNNER {
        let text = "`scorel` is the daemon's own engine; `checkModel` tests its model";
        return Err(CallError::invalid_field("runner", text));
    }
    let config = config(&host, None).await?;
    let failed = |error| CallError::Runner {
        runner: name.clone(),
        error,
    };
    let found = HostRunners::find(&config, &name);
    let runner = found.map_err(|unknown| failed(unknown.error()))?;
    let checked = host.runners.check(&config, runner, home()).await;
    checked.map_err(failed)
}

pub(super) async fn forget(
    host: Arc<Host>,
    call: RpcCall,
    mut params: ForgetContextParams,
) -> Reply<ForgetContextResult> {
    let command = command::<ForgetContext>(&call, params.command_id.take(), &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    let runner = params.runner.clone();
    let seq = lane.mutate(ContextRemoval { command, runner }).await?;
    // One that is not configured any more may have left a context.
    if seq.is_none() {
        check_runner(&host, Some(&params.runner))?;
    }
    Ok(ForgetContextResult { seq })
}

/// Reads files.
async fn config(host: &Arc<Host>, project: Option<PathBuf>) -> Result<Arc<Config>, CallError> {
    let host = Arc::clone(host);
    Ok(spawn_blocking(move || host.config.current(project.as_deref())).await?)
}

/// Where runners are started of which no project is known. They get no prompt there.
fn home() -> PathBuf {
    std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"))
}
