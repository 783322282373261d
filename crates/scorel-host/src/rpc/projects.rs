//! Methods of projects and of choosing a directory.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_home::receipts::Effect;
use scorel_proto::{
    ListDirectories, ListDirectoriesParams, ListDirectoriesResult, ListProjects,
    ListProjectsResult, Method, NoParams, ProjectId, RegisterProject, RegisterProjectParams,
    RegisterProjectResult, RemoveProject, RemoveProjectParams, RemoveProjectResult, UpdateProject,
    UpdateProjectParams, UpdateProjectResult,
};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};

use super::caller::command;
use super::register::method;
use super::sessions::check_name;
use crate::directories::list_directories;
use crate::host::Host;
use crate::rpc::call_error::CallError;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<ListDirectories, _, _>(table, directories)?;
    method::<RegisterProject, _, _>(table, register_project)?;
    method::<ListProjects, _, _>(table, list_projects)?;
    method::<UpdateProject, _, _>(table, update_project)?;
    method::<RemoveProject, _, _>(table, remove_project)
}

async fn directories(
    _: Arc<Host>,
    _: RpcCall,
    params: ListDirectoriesParams,
) -> Result<ListDirectoriesResult, CallError> {
    let path = params.path.clone();
    let listed = spawn_blocking(move || list_directories(params.path.as_deref())).await?;
    listed.map_err(|error| CallError::Directories { error, path })
}

async fn register_project(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RegisterProjectParams,
) -> Result<RegisterProjectResult, CallError> {
    check_display_name(params.display_name.as_deref())?;
    let id = params.command_id.take();
    let command = command(&call, id, RegisterProject::NAME, &params)?;
    let effect = Effect::RegisterProject {
        project_id: ProjectId::generate(),
        params,
    };
    let project_id = host.mutate(command, effect).await?.project()?;
    let project = host.projects.get(project_id);
    Ok(RegisterProjectResult {
        project: project.ok_or(CallError::ProjectNotFound(project_id))?,
    })
}

async fn list_projects(
    host: Arc<Host>,
    _: RpcCall,
    _: NoParams,
) -> Result<ListProjectsResult, CallError> {
    Ok(ListProjectsResult {
        projects: host.projects.list(),
    })
}

async fn update_project(
    host: Arc<Host>,
    call: RpcCall,
    mut params: UpdateProjectParams,
) -> Result<UpdateProjectResult, CallError> {
    check_display_name(Some(&params.display_name))?;
    let id = params.command_id.take();
    let command = command(&call, id, UpdateProject::NAME, &params)?;
    let project_id = host
        .mutate(command, Effect::UpdateProject { params })
        .await?
        .project()?;
    let project = host.projects.get(project_id);
    Ok(UpdateProjectResult {
        project: project.ok_or(CallError::ProjectNotFound(project_id))?,
    })
}

async fn remove_project(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RemoveProjectParams,
) -> Result<RemoveProjectResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, RemoveProject::NAME, &params)?;
    let project_id = params.project_id;
    let effect = Effect::RemoveProject { project_id };
    host.mutate(command, effect).await?;
    Ok(RemoveProjectResult { project_id })
}

/// An empty name counts as absent.
fn check_display_name(name: Option<&str>) -> Result<(), CallError> {
    check_name("displayName", name.filter(|name| !name.trim().is_empty()))
}
