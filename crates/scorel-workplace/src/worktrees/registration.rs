//! The registration of a worktree in its repository.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_fs::{named_git_dir, read_foreign_text};
use scorel_permission::protected::GIT_DIRECTORY;

use super::error::WorktreeError;

/// Git's data of one worktree, in `worktrees` of the repository's. There is one as soon as git begins to
/// make the worktree.
#[derive(Debug)]
pub(super) struct Registration {
    /// Its directory.
    pub data: PathBuf,
}

impl Registration {
    /// The registration of the worktree at `path` in a repository. A symbolic link does not count: the
    /// repository's files may come from anywhere, and the directory found here is removed later.
    pub(super) fn find(repository: &Path, path: &Path) -> Option<Self> {
        let place = repository.join("worktrees");
        let is_directory = |path: &Path| path.symlink_metadata().is_ok_and(|it| it.is_dir());
        if !is_directory(&place) {
            return None;
        }
        let wanted = path.join(GIT_DIRECTORY);
        let names_it = |data: &PathBuf| {
            let named = read_foreign_text(&data.join("gitdir")).unwrap_or_default();
            is_directory(data) && Path::new(named.trim_end()) == wanted
        };
        let mut entries = fs::read_dir(place).ok()?.flatten();
        entries
            .find_map(|entry| Some(entry.path()).filter(names_it))
            .map(|data| Self { data })
    }

    /// Returns whether the worktree at `path` is complete. While git makes one, a lock says so.
    pub(super) fn is_whole(&self, path: &Path) -> bool {
        let named = read_foreign_text(&path.join(GIT_DIRECTORY)).unwrap_or_default();
        let lock = read_foreign_text(&self.data.join("locked")).unwrap_or_default();
        named_git_dir(&named).is_some_and(|named| named == self.data)
            && self.data.join("index").is_file()
            && lock.trim_end() != "initializing"
    }

    /// Makes the repository forget the worktree, as `git worktree remove` does for one that is gone.
    pub(super) fn remove(&self) -> Result<(), WorktreeError> {
        fs::remove_dir_all(&self.data).map_err(WorktreeError::io(&self.data))?;
        if let Some(place) = self.data.parent() {
            // Others may be in it.
            let _stays = fs::remove_dir(place);
        }
        Ok(())
    }
}
