//! The methods of projects.

use std::sync::Arc;

use scorel_proto::{
    ErrorCode, ListDirectories, ListDirectoriesParams, ListDirectoriesResult, ListProjects,
    ListProjectsResult, NoParams, ProjectId, RegisterProject, RegisterProjectParams,
    RegisterProjectResult, RemoveProject, RemoveProjectParams, RemoveProjectResult, RpcError,
};
use scorel_rpc::{Call, DuplicateMethod, Table};
use serde_json::json;

use super::caller::without_receipt;
use super::register::{blocking, method};
use crate::directories::list_directories;
use crate::host::Host;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<ListDirectories, _, _>(table, directories)?;
    method::<RegisterProject, _, _>(table, register_project)?;
    method::<ListProjects, _, _>(table, list_projects)?;
    method::<RemoveProject, _, _>(table, remove_project)
}

async fn directories(
    _: Arc<Host>,
    _: Call,
    params: ListDirectoriesParams,
) -> Result<ListDirectoriesResult, RpcError> {
    let path = params.path.clone();
    let listed = blocking(move || list_directories(params.path.as_deref())).await?;
    listed.map_err(|error| filesystem(&error, path.as_deref()))
}

async fn register_project(
    host: Arc<Host>,
    _: Call,
    params: RegisterProjectParams,
) -> Result<RegisterProjectResult, RpcError> {
    without_receipt(params.command_id.as_ref())?;
    // The registry and those who follow it are told together, also if the caller goes away.
    blocking(move || {
        let (path, name) = (&params.work_dir, params.display_name.as_deref());
        let registered = host.projects.register(path, name);
        let (project, new) = registered.map_err(|error| filesystem(&error, Some(path)))?;
        if new {
            host.sessions.host().project_added(&project);
        }
        Ok(RegisterProjectResult { project })
    })
    .await?
}

async fn list_projects(
    host: Arc<Host>,
    _: Call,
    _: NoParams,
) -> Result<ListProjectsResult, RpcError> {
    Ok(ListProjectsResult {
        projects: host.projects.list(),
    })
}

async fn remove_project(
    host: Arc<Host>,
    _: Call,
    params: RemoveProjectParams,
) -> Result<RemoveProjectResult, RpcError> {
    without_receipt(params.command_id.as_ref())?;
    let project_id = params.project_id;
    if host.projects.get(project_id).is_none() {
        return Err(not_found(project_id));
    }
    if host.sessions.has_sessions(project_id).await? {
        let text = format!("project {project_id} still has sessions: delete them first");
        return Err(RpcError::new(ErrorCode::ProjectHasSessions, text));
    }
    blocking(move || {
        let removed = host.projects.remove(project_id);
        match removed.map_err(|error| filesystem(&error, None))? {
            Some(_) => host.sessions.host().project_removed(project_id),
            None => return Err(not_found(project_id)),
        }
        Ok(RemoveProjectResult { project_id })
    })
    .await?
}

/// There is no such project.
pub(super) fn not_found(id: ProjectId) -> RpcError {
    RpcError::new(
        ErrorCode::ProjectNotFound,
        format!("there is no project {id}"),
    )
    .with_details(json!({ "projectId": id }))
}

fn filesystem(error: &dyn std::error::Error, path: Option<&str>) -> RpcError {
    let mut text = error.to_string();
    if let Some(source) = error.source() {
        text = format!("{text}: {source}");
    }
    RpcError::new(ErrorCode::FilesystemError, text).with_details(json!({ "path": path }))
}
