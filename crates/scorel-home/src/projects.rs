//! The project registry: directories in which sessions may work.

mod error;
mod file;
mod quota;

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use scorel_proto::{Project, ProjectId, QuotaPolicy, SessionId};

pub use error::ProjectError;
pub(crate) use file::ProjectsFile;
use file::StoredProject;
pub use quota::QuotaError;
pub use quota::check_policy;

use crate::state_file::{StateError, StateFile};
use crate::unix_time::now_ms;

/// Upper bound of registered projects.
const MAX_PROJECTS: usize = 10_000;

/// The registered projects, in memory and in `projects.json`.
///
/// Changes are durable when a method returns. Methods block on the disk. The file is never repaired
/// automatically: sessions refer to projects by id.
#[derive(Debug)]
pub struct ProjectRegistry {
    stored: StateFile<ProjectsFile>,
    file: Mutex<ProjectsFile>,
}

impl ProjectRegistry {
    /// Reads the file at `path`; a missing file means no projects.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        let stored = StateFile::new(path.to_owned());
        Ok(Self {
            file: Mutex::new(stored.read()?.unwrap_or_default()),
            stored,
        })
    }

    /// Registers a directory. See [`Self::register_as`].
    pub fn register(
        &self,
        work_dir: &str,
        display_name: Option<&str>,
    ) -> Result<(Project, bool), ProjectError> {
        self.register_as(ProjectId::generate(), work_dir, display_name)
    }

    /// Registers a directory under the caller's id, and returns whether it was new. A directory that is
    /// registered already, under any path, keeps its id and name.
    ///
    /// # Errors
    /// On every error the registry is unchanged.
    pub fn register_as(
        &self,
        id: ProjectId,
        work_dir: &str,
        display_name: Option<&str>,
    ) -> Result<(Project, bool), ProjectError> {
        let work_dir = canonical(work_dir)?;
        let mut file = self.lock();
        if let Some(known) = file
            .projects
            .iter()
            .find(|known| known.project.work_dir == work_dir)
        {
            return Ok((known.project.clone(), false));
        }
        if file.projects.len() >= MAX_PROJECTS {
            return Err(ProjectError::TooMany { max: MAX_PROJECTS });
        }
        let project = new_project(id, work_dir, display_name);
        let mut changed = file.clone();
        changed.projects.push(StoredProject::new(project.clone()));
        self.replace(&mut file, changed)?;
        Ok((project, true))
    }

    /// All projects, the oldest first.
    pub fn list(&self) -> Vec<Project> {
        self.lock()
            .projects
            .iter()
            .map(|stored| stored.project.clone())
            .collect()
    }

    pub fn get(&self, id: ProjectId) -> Option<Project> {
        let file = self.lock();
        file.stored(id).map(|stored| stored.project.clone())
    }

    /// Gives a project another name, and returns it and whether that changed it; `None` if it is not
    /// registered.
    ///
    /// # Errors
    /// On every error the registry is unchanged.
    pub fn rename(
        &self,
        id: ProjectId,
        display_name: &str,
    ) -> Result<Option<(Project, bool)>, ProjectError> {
        self.change(id, |project| {
            let name = name_of(&project.work_dir, Some(display_name));
            let is_new = project.display_name != name;
            project.display_name = name;
            is_new
        })
    }

    /// Changes a project by `change`, which returns whether it is another one now. Returns the project and
    /// whether that changed it; `None` if it is not registered.
    fn change(
        &self,
        id: ProjectId,
        change: impl FnOnce(&mut Project) -> bool,
    ) -> Result<Option<(Project, bool)>, ProjectError> {
        let mut file = self.lock();
        let mut changed = file.clone();
        let Some(stored) = changed.stored_mut(id) else {
            return Ok(None);
        };
        let is_new = change(&mut stored.project);
        if is_new {
            stored.project.updated_at = now_ms();
        }
        let project = stored.project.clone();
        if is_new {
            self.replace(&mut file, changed)?;
        }
        Ok(Some((project, is_new)))
    }

    /// Removes and returns a project; `None` if it is not registered. Its directory is not touched; the
    /// caller must check that it has no sessions.
    ///
    /// # Errors
    /// On every error the registry is unchanged.
    pub fn remove(&self, id: ProjectId) -> Result<Option<Project>, ProjectError> {
        let mut file = self.lock();
        let mut changed = file.clone();
        let is_meant = |known: &mut StoredProject| known.project.project_id == id;
        let Some(removed) = changed.projects.extract_if(.., is_meant).next() else {
            return Ok(None);
        };
        self.replace(&mut file, changed)?;
        Ok(Some(removed.project))
    }

    /// How many runtimes of an agent may run at once in a project. An empty policy is one that was never
    /// set, also of a project that is not registered.
    pub fn quota(&self, id: ProjectId, agent_type: &str) -> QuotaPolicy {
        let file = self.lock();
        let policy = file.stored(id).and_then(|it| it.quotas.get(agent_type));
        policy.cloned().unwrap_or_default()
    }

    /// Replaces the policy of an agent in a project, and returns whether the project is registered. An
    /// empty policy removes it. With `expected`, only if that one is in force.
    ///
    /// # Errors
    /// [`ProjectError::OtherQuota`] if another one is in force. On every error the registry is unchanged.
    pub fn set_quota(
        &self,
        id: ProjectId,
        agent_type: &str,
        policy: &QuotaPolicy,
        expected: Option<&QuotaPolicy>,
    ) -> Result<bool, ProjectError> {
        check_policy(policy)?;
        let mut file = self.lock();
        let mut changed = file.clone();
        let Some(project) = changed.stored_mut(id) else {
            return Ok(false);
        };
        let before = if policy.is_empty() {
            project.quotas.remove(agent_type)
        } else {
            project.quotas.insert(agent_type.to_owned(), policy.clone())
        };
        let before = before.unwrap_or_default();
        // Said again, as after a lost reply, it is not written again.
        if before != *policy {
            if expected.is_some_and(|expected| *expected != before) {
                return Err(ProjectError::OtherQuota(before));
            }
            self.replace(&mut file, changed)?;
        }
        Ok(true)
    }

    /// Records the orchestrator of a project, or that it has none. Returns the project if that changed it.
    ///
    /// # Errors
    /// On every error the registry is unchanged.
    pub fn set_orchestrator(
        &self,
        id: ProjectId,
        session_id: Option<SessionId>,
    ) -> Result<Option<Project>, ProjectError> {
        let changed = self.change(id, |project| {
            let before = std::mem::replace(&mut project.orchestrator_session_id, session_id);
            before != session_id
        })?;
        Ok(changed.and_then(|(project, is_new)| is_new.then_some(project)))
    }

    fn replace(&self, file: &mut ProjectsFile, changed: ProjectsFile) -> Result<(), ProjectError> {
        // The file first: if it cannot be written, memory must not have what a restart would forget.
        self.stored.replace(&changed)?;
        *file = changed;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, ProjectsFile> {
        // Poisoning can be ignored: the value is replaced as a whole.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The directory's canonical path, which identifies a project.
fn canonical(work_dir: &str) -> Result<String, ProjectError> {
    let path = || work_dir.to_owned();
    if !Path::new(work_dir).is_absolute() {
        return Err(ProjectError::NotAbsolute { path: path() });
    }
    let canonical = fs::canonicalize(work_dir).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ProjectError::NotFound { path: path() },
        io::ErrorKind::NotADirectory => ProjectError::NotDirectory { path: path() },
        _ => ProjectError::Read {
            path: path(),
            source,
        },
    })?;
    if !canonical.is_dir() {
        return Err(ProjectError::NotDirectory { path: path() });
    }
    canonical
        .into_os_string()
        .into_string()
        .map_err(|_| ProjectError::NotText { path: path() })
}

fn new_project(project_id: ProjectId, work_dir: String, display_name: Option<&str>) -> Project {
    let now = now_ms();
    Project {
        project_id,
        display_name: name_of(&work_dir, display_name),
        work_dir,
        created_at: now,
        updated_at: now,
        orchestrator_session_id: None,
    }
}

/// The given name, if it is not empty, or that of the directory.
fn name_of(work_dir: &str, given: Option<&str>) -> String {
    let given = given.map(str::trim).filter(|name| !name.is_empty());
    let own = Path::new(work_dir).file_name();
    let own = own.and_then(|name| name.to_str());
    given.or(own).unwrap_or(work_dir).to_owned()
}

#[cfg(test)]
mod tests;
