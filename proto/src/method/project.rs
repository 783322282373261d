use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CommandId, ProjectId};

/// A registered directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The project.
    pub project_id: ProjectId,
    /// Its name, for people.
    pub display_name: String,
    /// The directory, absolute and without symbolic links.
    pub work_dir: String,
    /// When it was registered, in milliseconds since 1970.
    pub created_at: u64,
    /// When it last changed, in milliseconds since 1970.
    pub updated_at: u64,
}

/// The parameters of `listDirectories`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListDirectoriesParams {
    /// The directory, absolute; the user's home directory if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The result of `listDirectories`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListDirectoriesResult {
    /// The directory, absolute and without symbolic links.
    pub path: String,
    /// The directory that holds it; absent at the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_path: Option<String>,
    /// The directories in it, by name. Those that cannot be read as text are left out.
    pub entries: Vec<DirectoryEntry>,
    /// Whether there are more than are listed.
    pub truncated: bool,
}

/// A directory inside a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectoryEntry {
    /// Its name.
    pub name: String,
    /// Its absolute path.
    pub path: String,
}

/// The parameters of `registerProject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisterProjectParams {
    /// The directory, absolute.
    pub work_dir: String,
    /// A name for people; the directory's own name if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The result of `registerProject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisterProjectResult {
    /// The project.
    pub project: Project,
}

/// The result of `listProjects`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListProjectsResult {
    /// The projects, the oldest first.
    pub projects: Vec<Project>,
}

/// The parameters of `removeProject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoveProjectParams {
    /// The project.
    pub project_id: ProjectId,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The result of `removeProject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoveProjectResult {
    /// The project that is gone.
    #[serde(rename = "projectId")]
    pub project_id: ProjectId,
}
