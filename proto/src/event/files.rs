//! Records about restored files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{EventId, FileChange, FilePath};

/// Body of `files_restore`: files are about to get an earlier state again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesRestoreBody {
    /// The files get the state that they had before this event.
    pub before_event_id: EventId,
    /// The files to restore.
    pub scope: RestoreScope,
    /// The files that will be changed, each with its current and its new state.
    pub files: Vec<FileChange>,
}

/// The files that a restore is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestoreScope {
    /// Files that only tools and restores have changed since.
    #[default]
    Tools,
    /// Also files that commands, or other programs while a command ran, have changed since.
    All,
}

/// Body of `files_restored`: a restore has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesRestoredBody {
    /// The `files_restore`, `rewind` or `branch` that recorded it.
    pub event_id: EventId,
    /// The files that did not get the state that was recorded for them. All others have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedFile>,
}

/// A file that could not be restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedFile {
    /// The file. It is as it was, unless another program changed it.
    pub path: FilePath,
    /// Why, for people.
    pub error: String,
}
