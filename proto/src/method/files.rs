//! Types of the methods about changed files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::present::present;
use crate::{CommandId, EventId, FailedFile, FilePath, RestoreScope, Seq, SessionId};

/// Parameters of `previewRestore`: either `beforeEventId` or `targetEventId`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreviewRestoreParams {
    /// The session.
    pub session_id: SessionId,
    /// As of `restoreFiles`: any record of the session.
    pub before_event_id: Option<EventId>,
    /// As of `rewind` and `branch`: the end of a turn, or `null` for the beginning of the session. The
    /// files as they were after that turn.
    #[serde(default, deserialize_with = "present")]
    pub target_event_id: Option<Option<EventId>>,
    /// The files to restore; absent: `tools`.
    pub scope: Option<RestoreScope>,
}

/// Result of `previewRestore`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PreviewRestoreResult {
    /// The files that were changed since, by path.
    pub files: Vec<RestoreEntry>,
    /// The calls since whose changes are not known, so that a restore leaves them.
    pub unwatched: Option<UnwatchedCalls>,
}

/// Calls that were not watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnwatchedCalls {
    /// Their number.
    pub calls: u64,
    /// The reasons, each once.
    pub reasons: Vec<String>,
}

impl UnwatchedCalls {
    /// Counts one more call.
    pub fn add(calls: &mut Option<Self>, reason: &str) {
        let counted = calls.get_or_insert(Self {
            calls: 0,
            reasons: Vec::new(),
        });
        counted.calls += 1;
        if !counted.reasons.iter().any(|known| known == reason) {
            counted.reasons.push(reason.to_owned());
        }
    }
}

/// The effect of a restore on one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RestoreEntry {
    /// The file.
    pub path: FilePath,
    /// The action on it.
    pub action: RestoreAction,
}

/// The action of a restore on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestoreAction {
    /// It gets its earlier content, mode or link target.
    Write,
    /// It did not exist, and is deleted.
    Delete,
    /// Nothing: it has the earlier state.
    None,
    /// Nothing: something else than the session has changed it since, or a directory on the way to it
    /// is a link now.
    Conflict,
    /// Nothing: the earlier state was not recorded, or its content is not kept any more.
    Unknown,
}

/// The treatment of a file in conflict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// Fail with `conflict` and change nothing.
    #[default]
    Refuse,
    /// Leave that file as it is and restore the others.
    Skip,
}

/// The options with which `rewind` and `branch` restore files.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestoreOptions {
    /// The files to restore; absent: `tools`.
    pub scope: Option<RestoreScope>,
    /// The treatment of a file in conflict; absent: `refuse`, and then the leaf stays too.
    pub on_conflict: Option<OnConflict>,
}

/// Result of `rewind` and `branch`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MoveResult {
    /// The seq of the `rewind` or `branch` record.
    pub seq: Seq,
    /// With `restoreFiles`: the result of the restore. Its `seq` and `eventId` are those of the `rewind`
    /// or `branch` record.
    pub files: Option<RestoreFilesResult>,
}

/// Parameters of `restoreFiles`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestoreFilesParams {
    /// The session.
    pub session_id: SessionId,
    /// Any record of the session; that of a restore undoes the restore.
    pub before_event_id: EventId,
    /// The files to restore; absent: `tools`.
    pub scope: Option<RestoreScope>,
    /// The treatment of a file in conflict; absent: `refuse`.
    pub on_conflict: Option<OnConflict>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `restoreFiles`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RestoreFilesResult {
    /// The seq of the record: `files_restore`, `rewind` or `branch`.
    pub seq: Seq,
    /// The id of that record: `beforeEventId` of the restore that undoes this one.
    pub event_id: EventId,
    /// The number of files that have their earlier state again.
    pub restored: u64,
    /// The files that were to be changed and could not be.
    pub failed: Vec<FailedFile>,
    /// As of `previewRestore`.
    pub unwatched: Option<UnwatchedCalls>,
}
