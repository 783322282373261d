//! The directories that rules and commands refer to.

use std::path::{Path, PathBuf};

use scorel_shell::normal;

use crate::daemon_home::DaemonHome;

/// The directories that paths in rules and commands are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseDirs {
    project: PathBuf,
    home: PathBuf,
    scorel_home: DaemonHome,
}

impl BaseDirs {
    /// Three absolute paths: the project's directory, the user's home (`~`), and the daemon's home.
    pub fn new(project: &Path, home: &Path, scorel_home: &Path) -> Self {
        Self {
            project: normal(project),
            home: normal(home),
            scorel_home: DaemonHome::of(&normal(scorel_home), &normal(project)),
        }
    }

    /// The project's directory.
    pub fn project(&self) -> &Path {
        &self.project
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn scorel_home(&self) -> &DaemonHome {
        &self.scorel_home
    }

    /// The normal form of a path that is absolute or relative to the project.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        normal(&self.project.join(path))
    }

    pub(crate) fn is_in_project(&self, path: &Path) -> bool {
        path.starts_with(&self.project)
    }
}
