//! The parts of a repository that git may change, for programs that the host starts.

use std::path::{Path, PathBuf};

use scorel_exec::Guard;

use super::guarded;
use super::outside_repository::OutsideRepository;

/// The parts of a repository's data that git may write, and the parts that must stay as they are,
/// because git runs or obeys them.
#[derive(Debug)]
pub struct RepositoryAccess {
    /// The data: `.git` of the main work tree, or what stands in for it.
    pub writable: PathBuf,
    /// Existing places to mount read-only; none where mounts are not possible.
    pub protected: Vec<PathBuf>,
    /// Places that a mount does not cover.
    pub guard: Guard,
}

impl RepositoryAccess {
    /// To make a work tree of the repository whose data is at `data`. Looks at the file system.
    pub fn to_data(data: &Path, can_mount: bool) -> Self {
        let found = guarded::find_git_data(data, &[], can_mount);
        Self {
            writable: data.to_owned(),
            protected: found.mounted,
            guard: found.guard,
        }
    }

    /// To work in a project, an absolute path without links. `None` if its repository is in it, or it has
    /// none that knows it. Looks at the file system.
    pub fn of_project(project: &Path, can_mount: bool) -> Option<Self> {
        let repository = OutsideRepository::of(project)?;
        let mut access = Self::to_data(&repository.data, can_mount);
        if can_mount {
            access.protected.extend(repository.of_others());
        }
        Some(access)
    }
}
