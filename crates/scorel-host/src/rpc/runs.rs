//! Methods of workflows and their runs.

use std::path::PathBuf;
use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_guidance::skills::SkillProject;
use scorel_home::receipts::{Effect, RunChange, Subject};
use scorel_proto::{
    CheckWorkflowParams, CheckWorkflowResult, DeleteRun, DeleteRunParams, DeleteRunResult,
    GetRunParams, GetRunResult, ListRunsParams, ListRunsResult, ListWorkflowsParams,
    ListWorkflowsResult, ProjectId, RebindRun, RebindRunParams, RepairRun, RepairRunParams,
    ResumeRun, ResumeRunParams, RunId, RunResult, SessionId, StartRun, StartRunParams,
    StartRunResult, UpdateRun, UpdateRunParams,
};
use scorel_rpc::RpcCall;
use scorel_runs::Runs;
use scorel_session::MutationCommand;

use super::caller::command;
use super::sessions::{check_name, limit};
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn list_workflows(
    host: Arc<Host>,
    params: ListWorkflowsParams,
) -> Reply<ListWorkflowsResult> {
    let project = named_project(&host, params.project_id)?;
    let listed = spawn_blocking(move || host.runs.list_workflows(project.as_ref()));
    Ok(ListWorkflowsResult {
        workflows: listed.await??,
    })
}

pub(super) async fn check_workflow(
    host: Arc<Host>,
    params: CheckWorkflowParams,
) -> Reply<CheckWorkflowResult> {
    let project = named_project(&host, params.project_id)?;
    let check = move || match (params.workflow, params.path.map(PathBuf::from)) {
        (Some(name), None) => Ok(host.runs.check_workflow(&name, project.as_ref())?),
        (None, Some(path)) if path.is_absolute() => Ok(Runs::check_package(&path)?),
        (None, Some(_)) => Err(CallError::invalid_field("path", "`path` is not absolute")),
        _ => Err(CallError::invalid("one of `workflow` and `path` is needed")),
    };
    spawn_blocking(check).await?
}

pub(super) async fn start(
    host: Arc<Host>,
    call: RpcCall,
    mut params: StartRunParams,
) -> Reply<StartRunResult> {
    check_name("model", params.model.as_deref())?;
    let command = command::<StartRun>(&call, params.command_id.take(), &params)?;
    goes_on(&host, command, RunId::generate(), RunChange::Start(params)).await
}

pub(super) async fn resume(
    host: Arc<Host>,
    call: RpcCall,
    mut params: ResumeRunParams,
) -> Reply<StartRunResult> {
    let command = command::<ResumeRun>(&call, params.command_id.take(), &params)?;
    goes_on(&host, command, params.run_id, RunChange::Resume(params)).await
}

pub(super) async fn get(host: Arc<Host>, params: GetRunParams) -> Reply<GetRunResult> {
    Ok(host.runs.get(&host.sessions, params.run_id).await?)
}

pub(super) async fn list(host: Arc<Host>, params: ListRunsParams) -> Reply<ListRunsResult> {
    host.named_dir(params.project_id)?;
    let limit = limit(params.limit, 100, 1000)?;
    let listed = host.runs.list(&host.sessions, params.project_id, limit);
    Ok(listed.await?)
}

pub(super) async fn update(
    host: Arc<Host>,
    call: RpcCall,
    mut params: UpdateRunParams,
) -> Reply<RunResult> {
    if params.autopilot.is_none() && params.mode.is_none() && params.goto.is_none() {
        return Err(CallError::invalid("there is nothing to change"));
    }
    let command = command::<UpdateRun>(&call, params.command_id.take(), &params)?;
    changed(&host, command, params.run_id, RunChange::Update(params)).await
}

pub(super) async fn rebind(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RebindRunParams,
) -> Reply<RunResult> {
    let command = command::<RebindRun>(&call, params.command_id.take(), &params)?;
    changed(&host, command, params.run_id, RunChange::Rebind(params)).await
}

pub(super) async fn repair(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RepairRunParams,
) -> Reply<RunResult> {
    let command = command::<RepairRun>(&call, params.command_id.take(), &params)?;
    changed(&host, command, params.run_id, RunChange::Repair).await
}

pub(super) async fn delete(
    host: Arc<Host>,
    call: RpcCall,
    mut params: DeleteRunParams,
) -> Reply<DeleteRunResult> {
    let command = command::<DeleteRun>(&call, params.command_id.take(), &params)?;
    let run_id = params.run_id;
    change(&host, command, run_id, RunChange::Delete).await?;
    Ok(DeleteRunResult { run_id })
}

async fn change(
    host: &Arc<Host>,
    command: MutationCommand,
    run_id: RunId,
    change: RunChange,
) -> Result<Subject, CallError> {
    let effect = Effect::ChangeRun {
        run_id,
        session_id: SessionId::generate(),
        change,
    };
    host.mutate(command, effect).await
}

async fn goes_on(
    host: &Arc<Host>,
    command: MutationCommand,
    run_id: RunId,
    change: RunChange,
) -> Reply<StartRunResult> {
    let (run_id, session_id, seq) = self::change(host, command, run_id, change).await?.run()?;
    Ok(StartRunResult {
        run_id,
        session_id,
        seq,
    })
}

async fn changed(
    host: &Arc<Host>,
    command: MutationCommand,
    run_id: RunId,
    change: RunChange,
) -> Reply<RunResult> {
    self::change(host, command, run_id, change).await?;
    let run = host.runs.get(&host.sessions, run_id).await?.run;
    Ok(RunResult { run })
}

fn named_project(host: &Host, id: Option<ProjectId>) -> Result<Option<SkillProject>, CallError> {
    id.map(|id| host.skill_project(id)).transpose()
}
