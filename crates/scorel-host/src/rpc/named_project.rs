use std::path::PathBuf;

use scorel_guidance::skills::SkillProject;
use scorel_proto::{Project, ProjectId};

use crate::host::Host;
use crate::rpc::call_error::CallError;

/// The projects that calls name.
impl Host {
    pub(super) fn project(&self, id: ProjectId) -> Result<Project, CallError> {
        self.projects.get(id).ok_or(CallError::ProjectNotFound(id))
    }

    pub(super) fn project_dir(&self, id: ProjectId) -> Result<PathBuf, CallError> {
        Ok(PathBuf::from(self.project(id)?.work_dir))
    }

    /// The directory of the project, if the call names one.
    pub(super) fn named_dir(&self, id: Option<ProjectId>) -> Result<Option<PathBuf>, CallError> {
        id.map(|id| self.project_dir(id)).transpose()
    }

    /// The project as its skills and extensions are looked for.
    pub(super) fn skill_project(&self, id: ProjectId) -> Result<SkillProject, CallError> {
        let dir = self.project_dir(id)?;
        Ok(SkillProject { id, dir })
    }
}
