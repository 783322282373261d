use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CommandId, ProjectId, SessionId};

/// A registered directory, to which sessions belong.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The project's id.
    pub project_id: ProjectId,
    /// The display name, given on registration or derived from the directory's name.
    pub display_name: String,
    /// The directory: absolute, with symbolic links resolved.
    pub work_dir: String,
    /// When it was registered, in milliseconds since 1970.
    pub created_at: u64,
    /// When its entry last changed, in milliseconds since 1970.
    pub updated_at: u64,
    /// The session that `openOrchestrator` returns, until it is archived or deleted; absent if it would
    /// create one, or choose one of an older daemon.
    pub orchestrator_session_id: Option<SessionId>,
}

/// Parameters of `listDirectories`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListDirectoriesParams {
    /// The absolute path of the directory to list; absent: the user's home directory.
    pub path: Option<String>,
}

/// Result of `listDirectories`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListDirectoriesResult {
    /// The directory: absolute, with symbolic links resolved.
    pub path: String,
    /// The parent directory; absent at the root.
    pub parent_path: Option<String>,
    /// Its subdirectories, sorted by name. Names that are not UTF-8 are omitted.
    pub entries: Vec<DirectoryEntry>,
    /// True if entries were omitted because there are too many.
    pub truncated: bool,
}

/// A subdirectory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectoryEntry {
    /// The last component of the path.
    pub name: String,
    /// The absolute path.
    pub path: String,
}

/// Parameters of `registerProject`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisterProjectParams {
    /// The absolute path of an existing directory.
    pub work_dir: String,
    /// A display name; absent: the directory's name.
    pub display_name: Option<String>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `registerProject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisterProjectResult {
    /// The new project, or the one already registered for this directory.
    pub project: Project,
}

/// Result of `listProjects`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListProjectsResult {
    /// All projects, the oldest first.
    pub projects: Vec<Project>,
}

/// Parameters of `updateProject`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateProjectParams {
    /// The project's id.
    pub project_id: ProjectId,
    /// The new display name: one line, at most 1 KiB. An empty one stands for the directory's name.
    pub display_name: String,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `updateProject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UpdateProjectResult {
    /// The project after the change.
    pub project: Project,
}

/// Parameters of `removeProject`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoveProjectParams {
    /// The project's id.
    pub project_id: ProjectId,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `removeProject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoveProjectResult {
    /// The removed project.
    #[serde(rename = "projectId")]
    pub project_id: ProjectId,
}
