//! The git worktrees that agents and runs of workflows work in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AgentTaskId, CommandId, ProjectId, RunId, SessionId};

/// Parameters of `listWorktrees`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListWorktreesParams {
    /// Only those of this project.
    pub project_id: Option<ProjectId>,
}

/// Result of `listWorktrees`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListWorktreesResult {
    /// The worktrees, the oldest first.
    pub worktrees: Vec<WorktreeInfo>,
}

/// A git worktree that an agent, or a run of a workflow, works in. It has either `runtimeId` or `runId`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeInfo {
    /// The runtime for which it was made.
    pub runtime_id: Option<AgentTaskId>,
    /// The run for which it was made.
    pub run_id: Option<RunId>,
    /// The session that works in it; absent if it was deleted.
    pub session_id: Option<SessionId>,
    /// The project whose repository it belongs to.
    pub project_id: ProjectId,
    /// Where it is, absolute.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// True if it has changes that are not committed; absent if git does not say.
    pub dirty: Option<bool>,
    /// The number of commits made in it; absent if git does not say.
    pub commits: Option<u32>,
}

/// Parameters of `removeWorktree`. One of `runtimeId` and `runId` must be present.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoveWorktreeParams {
    /// The runtime for which it was made.
    pub runtime_id: Option<AgentTaskId>,
    /// The run for which it was made.
    pub run_id: Option<RunId>,
    /// True if changes that are not committed are lost. Absent: no; the call is refused if there are any.
    pub force: Option<bool>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `removeWorktree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoveWorktreeResult {
    /// The branch, which stays.
    pub branch: String,
}
