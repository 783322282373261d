//! The directory that a session works in.

use std::path::{Path, PathBuf};

use scorel_permission::protected::GIT_DIRECTORY;
use scorel_proto::{Project, SessionWorktree, TurnError};

/// The directory that a session works in is not there any more.
#[derive(Debug, thiserror::Error)]
pub enum WorkDirGone {
    #[error("the directory {} of this session's project is gone", path.display())]
    Project { path: PathBuf },
    #[error("the git worktree {} of this session is gone", path.display())]
    Worktree { path: PathBuf, branch: String },
}

impl WorkDirGone {
    /// The end of a turn.
    pub fn turn_error(&self) -> TurnError {
        let (code, hint) = match self {
            Self::Project { .. } => (
                "project_gone",
                "put the directory back at its path, or open a session in another project"
                    .to_owned(),
            ),
            Self::Worktree { branch, .. } => (
                "worktree_gone",
                format!(
                    "what was committed is on the branch {branch}; give the rest to a new agent or run"
                ),
            ),
        };
        TurnError {
            code: code.to_owned(),
            message: self.to_string(),
            retryable: false,
            hint: Some(hint),
            resets_at: None,
            sizes: None,
        }
    }
}

/// The directory that a session works in: its worktree, or the part of it that the project is, if it has
/// one; otherwise the project's. Looks at the file system.
pub fn work_dir(
    project: &Project,
    worktree: Option<&SessionWorktree>,
) -> Result<PathBuf, WorkDirGone> {
    let project = Path::new(&project.work_dir);
    let Some(worktree) = worktree else {
        let path = project.to_owned();
        return match path.is_dir() {
            true => Ok(path),
            false => Err(WorkDirGone::Project { path }),
        };
    };
    let SessionWorktree { path, branch } = worktree;
    let root = Path::new(path);
    let dir = inside(root, below_repository(project));
    if root.join(GIT_DIRECTORY).is_file() && dir.is_dir() {
        return Ok(dir);
    }
    Err(WorkDirGone::Worktree {
        path: root.to_owned(),
        branch: branch.clone(),
    })
}

/// A directory of a worktree. Joining an empty path would add a slash.
pub(super) fn inside(root: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() {
        return root.to_owned();
    }
    root.join(below)
}

/// Where the project is in its repository; empty if it is the whole of it.
pub(super) fn below_repository(project: &Path) -> &Path {
    let is_top = |dir: &&Path| dir.join(GIT_DIRECTORY).exists();
    let top = project.ancestors().find(is_top);
    top.and_then(|top| project.strip_prefix(top).ok())
        .unwrap_or(Path::new(""))
}
