//! What changes the registry of projects.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_home::receipts::Subject;
use scorel_proto::{ProjectId, RegisterProjectParams, UpdateProjectParams};

use super::Attempt;
use crate::host::Host;
use crate::rpc::call_error::CallError;

impl Host {
    /// The subject is the existing project if the directory was registered before.
    pub(super) async fn register_project(
        &self,
        project_id: ProjectId,
        params: RegisterProjectParams,
    ) -> Result<Subject, CallError> {
        let (projects, sessions) = (Arc::clone(&self.projects), Arc::clone(&self.sessions));
        let register = move || {
            let (path, name) = (&params.work_dir, params.display_name.as_deref());
            let registered = projects.register_as(project_id, path, name);
            let (project, new) = registered.map_err(|error| CallError::Project {
                error,
                path: Some(path.clone()),
            })?;
            if new {
                sessions.host().project_added(&project);
            }
            Ok(Subject::ProjectId(project.project_id))
        };
        spawn_blocking(register).await?
    }

    pub(super) async fn update_project(
        &self,
        params: UpdateProjectParams,
    ) -> Result<Subject, CallError> {
        let (projects, sessions) = (Arc::clone(&self.projects), Arc::clone(&self.sessions));
        let rename = move || {
            let project_id = params.project_id;
            let renamed = projects.rename(project_id, &params.display_name)?;
            let (project, has_changed) = renamed.ok_or(CallError::ProjectNotFound(project_id))?;
            if has_changed {
                sessions.host().project_changed(&project);
            }
            Ok(Subject::ProjectId(project_id))
        };
        spawn_blocking(rename).await?
    }

    pub(super) async fn remove_project(
        &self,
        project_id: ProjectId,
        attempt: Attempt,
    ) -> Result<Subject, CallError> {
        let subject = Subject::ProjectId(project_id);
        if self.projects.get(project_id).is_none() {
            return match attempt {
                Attempt::First => Err(CallError::ProjectNotFound(project_id)),
                Attempt::Again => Ok(subject),
            };
        }
        if self.sessions.has_sessions(project_id).await? {
            return Err(CallError::ProjectHasSessions(project_id));
        }
        self.receipts.settle(subject.clone()).await;
        let (projects, sessions) = (Arc::clone(&self.projects), Arc::clone(&self.sessions));
        let remove = move || {
            match projects.remove(project_id)? {
                Some(_) => sessions.host().project_removed(project_id),
                None => return Err(CallError::ProjectNotFound(project_id)),
            }
            Ok(subject)
        };
        spawn_blocking(remove).await?
    }
}
