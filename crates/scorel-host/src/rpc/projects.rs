//! Methods of projects and of choosing a directory.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_file_finder::list_directories;
use scorel_home::receipts::Effect;
use scorel_home::user_home;
use scorel_proto::{
    ListDirectoriesParams, ListDirectoriesResult, ListProjectsResult, NoParams, ProjectId,
    RegisterProject, RegisterProjectParams, RegisterProjectResult, RemoveProject,
    RemoveProjectParams, RemoveProjectResult, UpdateProject, UpdateProjectParams,
    UpdateProjectResult,
};
use scorel_rpc::RpcCall;

use super::caller::command;
use super::sessions::check_name;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn directories(
    _: Arc<Host>,
    params: ListDirectoriesParams,
) -> Reply<ListDirectoriesResult> {
    let path = params.path.clone();
    let listed =
        spawn_blocking(move || list_directories(params.path.as_deref(), user_home())).await?;
    listed.map_err(|error| CallError::Directories { error, path })
}

pub(super) async fn register_project(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RegisterProjectParams,
) -> Reply<RegisterProjectResult> {
    check_display_name(params.display_name.as_deref())?;
    let command = command::<RegisterProject>(&call, params.command_id.take(), &params)?;
    let effect = Effect::RegisterProject {
        project_id: ProjectId::generate(),
        params,
    };
    let project_id = host.mutate(command, effect).await?.project()?;
    Ok(RegisterProjectResult {
        project: host.project(project_id)?,
    })
}

pub(super) async fn list_projects(host: Arc<Host>, _: NoParams) -> Reply<ListProjectsResult> {
    Ok(ListProjectsResult {
        projects: host.projects.list(),
    })
}

pub(super) async fn update_project(
    host: Arc<Host>,
    call: RpcCall,
    mut params: UpdateProjectParams,
) -> Reply<UpdateProjectResult> {
    check_display_name(Some(&params.display_name))?;
    let command = command::<UpdateProject>(&call, params.command_id.take(), &params)?;
    let effect = Effect::UpdateProject { params };
    let project_id = host.mutate(command, effect).await?.project()?;
    Ok(UpdateProjectResult {
        project: host.project(project_id)?,
    })
}

pub(super) async fn remove_project(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RemoveProjectParams,
) -> Reply<RemoveProjectResult> {
    let command = command::<RemoveProject>(&call, params.command_id.take(), &params)?;
    let project_id = params.project_id;
    let effect = Effect::RemoveProject { project_id };
    host.mutate(command, effect).await?;
    Ok(RemoveProjectResult { project_id })
}

/// An empty name counts as absent.
fn check_display_name(name: Option<&str>) -> Result<(), CallError> {
    check_name("displayName", name.filter(|name| !name.trim().is_empty()))
}
