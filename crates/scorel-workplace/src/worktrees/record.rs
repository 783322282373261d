//! The record of a worktree, in a file beside it.

use std::path::{Path, PathBuf};

use scorel_home::{StateBody, StateFile, StateKind, WORKTREE};
use scorel_proto::{ProjectId, SessionWorktree, WorktreeOwner};
use serde::{Deserialize, Serialize};

use super::error::WorktreeError;

/// The record of a worktree, in `<owner>.json` beside it. It is durable before anything of the
/// worktree exists and is removed last. So a half-made worktree is recognised, and one can be removed
/// even if its session was deleted or git has forgotten it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeRecord {
    /// As `runtimeId` or `runId`.
    #[serde(flatten)]
    pub owner: WorktreeOwner,
    pub project_id: ProjectId,
    /// Where the worktree is, absolute.
    pub path: PathBuf,
    pub branch: String,
    /// The data of the repository: `.git` of its main work tree, or what stands in for it.
    pub repository: PathBuf,
    /// The commit that its branch began at; `None` in a note of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
}

impl StateBody for WorktreeRecord {
    const KIND: &'static StateKind = &WORKTREE;
}

impl WorktreeRecord {
    /// The file of a record, in the directory of worktrees.
    pub(super) fn file(worktrees: &Path, owner: WorktreeOwner) -> StateFile<Self> {
        StateFile::new(worktrees.join(format!("{owner}.json")))
    }

    pub fn worktree(&self) -> Result<SessionWorktree, WorktreeError> {
        Ok(SessionWorktree {
            path: text(&self.path)?.to_owned(),
            branch: self.branch.clone(),
        })
    }
}

/// A path for git and for the protocol.
pub(super) fn text(path: &Path) -> Result<&str, WorktreeError> {
    path.to_str().ok_or_else(|| WorktreeError::NotText {
        path: path.to_owned(),
    })
}
