//! `findFiles`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProjectId;

/// Parameters of `findFiles`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindFilesParams {
    /// The project.
    pub project_id: ProjectId,
    /// The text to look for, at most 256 bytes. A path matches that has its characters in this order, whatever
    /// stands between them; case makes no difference. Empty: every path matches.
    pub query: String,
    /// The maximum number of paths, 1 to 100; absent: 20.
    pub limit: Option<u32>,
}

/// Result of `findFiles`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindFilesResult {
    /// Paths of files relative to the project, the best match first: those with the query in the file's name before
    /// those with it elsewhere, and short ones before long ones.
    pub files: Vec<String>,
    /// True if every file was looked at. A project may have more than are listed, or take too long to list.
    pub complete: bool,
}
