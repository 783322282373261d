use scorel_home::{FormatVersion, RUN, StateBody, StateKind};
use scorel_proto::{ProjectId, RunId, RunPackage, SessionId, SessionWorktree};
use serde::{Deserialize, Serialize};

/// `run.json`: what belongs to a run. Lost, it is made again from the run's document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunFile {
    pub(crate) version: FormatVersion<1>,
    pub(crate) run_id: RunId,
    pub(crate) project_id: ProjectId,
    pub(crate) package: RunPackage,
    /// The workflow: the id of the package, or `ID/WORKFLOW`.
    pub(crate) workflow: String,
    /// Its sessions. The last one writes its files.
    #[serde(default)]
    pub(crate) sessions: Vec<SessionId>,
    /// The git worktree that it works in; `None` if it works in the project's directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) worktree: Option<SessionWorktree>,
    /// Milliseconds since 1970.
    pub(crate) created_at: u64,
}

impl StateBody for RunFile {
    const KIND: &'static StateKind = &RUN;
}
