//! Where a session works.

use std::path::{Component, Path, PathBuf};

/// The directories that give paths their meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    project: PathBuf,
    home: PathBuf,
    scorel_home: PathBuf,
}

impl Place {
    /// A place of three absolute paths: the project's directory, the user's home (`~` in rules and
    /// commands) and the directory where Scorel keeps its files.
    #[must_use]
    pub fn new(project: &Path, home: &Path, scorel_home: &Path) -> Self {
        Self {
            project: normal(project),
            home: normal(home),
            scorel_home: normal(scorel_home),
        }
    }

    /// The project's directory.
    #[must_use]
    pub fn project(&self) -> &Path {
        &self.project
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn scorel_home(&self) -> &Path {
        &self.scorel_home
    }

    /// The one spelling of a path that is absolute or relative to the project.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        normal(&self.project.join(path))
    }

    pub(crate) fn is_in_project(&self, path: &Path) -> bool {
        path.starts_with(&self.project)
    }
}

/// The path without `.`, `..`, doubled and final slashes, as if there were no links.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => result.push(name),
            Component::ParentDir => {
                result.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    result
}
