use std::io;
use std::path::{Path, PathBuf};

use scorel_home::StateError;
use scorel_journal::{is_no_space, is_read_only};
use scorel_proto::WorktreeOwner;

/// The reason why a worktree cannot be made, looked at or removed. For people: it says what helps, where
/// something does.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    #[error(
        "git is not installed, or is not in the `PATH` of commands, and a git worktree is wanted: install git, \
         or use the workspace `shared`"
    )]
    NotInstalled,
    #[error(
        "{} is in no git repository, and a git worktree is wanted: run `git init` there and commit, or use the \
         workspace `shared`",
        path.display()
    )]
    NotRepository { path: PathBuf },
    #[error("{} belongs to another user, and git does not trust it: {reason}", path.display())]
    OtherOwner { path: PathBuf, reason: String },
    #[error(
        "the repository of {} has no commit yet, and a worktree begins at one: commit something first",
        path.display()
    )]
    NoCommit { path: PathBuf },
    #[error(
        "{} is not in the last commit, so a worktree does not have it: commit it first",
        path.display()
    )]
    NotCommitted { path: PathBuf },
    #[error("the branch {branch} is checked out elsewhere: {reason}")]
    BranchInUse { branch: String, reason: String },
    #[error("the disk is full: {0}")]
    NoSpace(String),
    #[error("`git {command}` did not end within {seconds} seconds")]
    TimedOut { command: String, seconds: u64 },
    /// Git said no for a reason that has no error of its own.
    #[error("`git {command}` failed: {reason}")]
    Git { command: String, reason: String },
    #[error("git cannot be run: {0}")]
    NotStarted(String),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Record(StateError),
    #[error("the path {} is not UTF-8", path.display())]
    NotText { path: PathBuf },
    #[error("there is no worktree of {0}")]
    NotFound(WorktreeOwner),
    #[error(
        "the worktree {} has changes that are not committed: commit them, or force its removal, which \
         loses them",
        path.display()
    )]
    Dirty { path: PathBuf },
    #[error(
        "git does not say whether the worktree {} has changes that are not committed ({reason}): force its \
         removal if it has none that you need",
        path.display()
    )]
    Unclear { path: PathBuf, reason: String },
}

impl WorktreeError {
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match is_no_space(&source) || is_read_only(&source) {
            true => Self::NoSpace(format!("{}: {source}", path.display())),
            false => Self::Io { path, source },
        }
    }

    /// A record that is not read or written.
    pub(super) fn record(error: StateError) -> Self {
        match error {
            StateError::Write { path, source } => Self::io(&path)(source),
            error => Self::Record(error),
        }
    }

    /// What git has refused, by what it wrote.
    pub fn refused(command: &str, stderr: &str) -> Self {
        let reason = stderr.trim().to_owned();
        if reason.contains("No space left on device") || reason.contains("Disk quota exceeded") {
            return Self::NoSpace(reason);
        }
        Self::Git {
            command: command.to_owned(),
            reason,
        }
    }
}
