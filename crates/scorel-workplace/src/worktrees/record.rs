//! The record of a worktree, in a file beside it.

use std::io;
use std::path::{Path, PathBuf};

use scorel_home::trusted_file::{self, Trust};
use scorel_journal::{FileStorage, replace_file};
use scorel_proto::{AgentTaskId, ProjectId, SessionWorktree};
use serde::{Deserialize, Serialize};

use super::error::WorktreeError;

/// Upper bound of a note.
const MAX_BYTES: u64 = 64 * 1024;

/// The record of a worktree, in `<runtimeId>.json` beside it. It is durable before anything of the
/// worktree exists and is removed last. So a half-made worktree is recognised, and one can be removed
/// even if its session was deleted or git has forgotten it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeRecord {
    pub runtime_id: AgentTaskId,
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

impl WorktreeRecord {
    /// The file of a runtime's note, in the directory of worktrees.
    pub fn file(worktrees: &Path, runtime_id: AgentTaskId) -> PathBuf {
        worktrees.join(format!("{runtime_id}.json"))
    }

    /// Reads a note; `None` if there is none.
    pub fn read(file: &Path) -> Result<Option<Self>, WorktreeError> {
        let failed = |reason: String| {
            let source = io::Error::new(io::ErrorKind::InvalidData, reason);
            WorktreeError::io(file)(source)
        };
        let read = trusted_file::read(file, MAX_BYTES, Trust::Home);
        let Some((_, bytes)) = read.map_err(|problem| failed(problem.to_string()))? else {
            return Ok(None);
        };
        let parsed = serde_json::from_slice(&bytes);
        parsed.map(Some).map_err(|error| failed(error.to_string()))
    }

    /// Writes the note durably.
    pub fn write(&self, file: &Path) -> Result<(), WorktreeError> {
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        let written = text.and_then(|text| replace_file(&FileStorage, file, &text));
        written.map_err(WorktreeError::io(file))
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
