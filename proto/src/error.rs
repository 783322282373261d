//! Errors of the protocol.
//!
//! A failed call returns a JSON-RPC error object whose `data` is an [`ErrorData`]. Clients decide
//! by `data.code`; `message` is for people.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal, $text:literal, $retryable:literal;)*) => {
        /// The kind of failure, for programs to decide by.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema,
        )]
        pub enum ErrorCode {
            $($(#[doc = $doc])* #[serde(rename = $text)] $name,)*
        }

        impl ErrorCode {
            /// All codes, in the order of the reference.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The `code` of the JSON-RPC error object. Numbers are never reassigned.
            pub const fn number(self) -> i32 {
                match self { $(Self::$name => $number,)* }
            }

            /// The name in `data.code`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The meaning of the code, in one or two sentences.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),*).trim_start(),)* }
            }

            /// Returns whether the unchanged call may succeed later.
            pub const fn retryable(self) -> bool {
                match self { $(Self::$name => $retryable,)* }
            }
        }
    };
}

codes! {
    /// The text is not JSON, is nested too deeply, or has a member name that is too long.
    ParseError = -32700, "parse_error", false;
    /// The JSON is not a JSON-RPC 2.0 request.
    InvalidRequest = -32600, "invalid_request", false;
    /// The method does not exist.
    MethodNotFound = -32601, "method_not_found", false;
    /// The parameters are invalid; `details.field` may name the parameter.
    InvalidParams = -32602, "invalid_params", false;
    /// An unexpected failure in the daemon; its log has the details.
    InternalError = -32603, "internal_error", false;
    /// The session does not exist.
    SessionNotFound = 1001, "session_not_found", false;
    /// The project does not exist.
    ProjectNotFound = 1002, "project_not_found", false;
    /// The project has sessions and cannot be removed.
    ProjectHasSessions = 1003, "project_has_sessions", false;
    /// A turn is open or messages are queued; `details.phase` is the session's phase and
    /// `details.queueLength` the number of queued messages.
    AgentTaskBusy = 1004, "runtime_busy", true;
    /// The state differs from what the caller expects, or the `commandId` was used for another
    /// command. With `details.kind` = `leaf`, `details.activeLeafId` is the active leaf; with `archived`, the
    /// session is archived and takes no messages; with `answered`, `details.answer` is the decision that is
    /// recorded about the permission request.
    Conflict = 1005, "conflict", false;
    /// The event does not exist, or is not valid for this parameter; `details.eventId` names it and
    /// `details.reason` says why: `unknown`, `not_turn_end`, `active_leaf`, `other_branch` or
    /// `same_branch`.
    InvalidEventId = 1006, "invalid_event_id", false;
    /// The last compaction has summarised the target. `details.compactedThrough` is the last event
    /// that it replaced: a target after that one is possible, and a clone may end at any turn.
    CannotRewindPastCompact = 1007, "cannot_rewind_past_compact", false;
    /// Authentication failed.
    AuthFailed = 1008, "auth_failed", false;
    /// The caller lacks the permission that the method requires.
    Forbidden = 1009, "forbidden", false;
    /// Client and daemon have no protocol version in common; `details` holds both ranges.
    ProtocolMismatch = 1010, "protocol_mismatch", false;
    /// A frame, message or blob exceeds its limit; `details.limit` is in bytes.
    PayloadTooLarge = 1011, "payload_too_large", false;
    /// A limit on connections, subscriptions, queued messages, receipts or open files is reached;
    /// `details.limit` may hold it.
    Overloaded = 1012, "overloaded", true;
    /// The session cannot be used, or only be read; `details` holds the reason or the damaged
    /// places.
    SessionFailed = 1013, "session_failed", false;
    /// The session's log or the daemon's own files cannot be written at the moment, for example
    /// because the disk is full. Reading works; writing works again once there is space.
    StorageStalled = 1014, "storage_stalled", true;
    /// The queue is paused, and the caller chose `reject`.
    QueuePaused = 1015, "queue_paused", false;
    /// The daemon is shutting down.
    ShuttingDown = 1016, "shutting_down", true;
    /// A file system operation failed; `details.path` may name the file.
    FilesystemError = 1017, "filesystem_error", false;
    /// The model provider cannot be used or returned an error; `details.provider` names it.
    ProviderError = 1018, "provider_error", false;
    /// The runner cannot be used. `details.runner` names it, `details.kind` is the code that the error
    /// of a turn would have, such as `runner_not_logged_in`, and `details.hint` says what helps.
    RunnerError = 1020, "runner_error", false;
    /// No agent has this name; `details.suggestion` may have one that is like it.
    AgentNotFound = 1021, "agent_not_found", false;
    /// No runtime has this id.
    AgentTaskNotFound = 1022, "runtime_not_found", false;
    /// The agent takes no task from this session now; `details.kind` says why: `disabled`, `depth`,
    /// `too_many`, `queue_full`, `budget` or `archived`. `details.limit` may hold the limit.
    SpawnRefused = 1023, "spawn_refused", false;
    /// A file cannot be attached to the message, and nothing was sent. `details.path` names it as the
    /// caller did; `details.kind` says why: `not_found`, `directory`, `not_a_file`, `outside`, `denied`,
    /// `too_large`, `binary`, `invalid_path`, `too_many` or `unreadable`. `details.limit` may hold the limit.
    AttachmentRefused = 1024, "attachment_refused", false;
    /// Nothing of `details.kind`, such as `command`, has the name `details.name`; `details.suggestion` may have one
    /// that is like it.
    UnknownName = 1025, "unknown_name", false;
    /// The program of an extension has no answer. `details.state` is the state of its process, `details.reason` says
    /// why. It may have acted.
    ExtensionUnavailable = 1026, "extension_unavailable", true;
    /// There is no workflow of this name, or the project's is not trusted; `details.workflow` names it, and
    /// `details.suggestion` may have one that is like it.
    WorkflowNotFound = 1027, "workflow_not_found", false;
    /// The package of the workflow is not as it must be; `details.problems` has all that is wrong with it.
    WorkflowInvalid = 1028, "workflow_invalid", false;
    /// No run has this id.
    RunNotFound = 1029, "run_not_found", false;
    /// The document of the run cannot be used as it is, and was not touched. `details.message` says why,
    /// `details.line` and `details.column`, or `details.pointer`, where.
    StateInvalid = 1030, "state_invalid", false;
    /// The copy of the run's package is gone, or is not what it was; `details.digest` names it.
    PackageMissing = 1031, "package_missing", false;
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The `data` of a JSON-RPC error object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorData {
    /// The kind of failure.
    pub code: ErrorCode,
    /// True if the unchanged call may succeed later.
    pub retryable: bool,
    /// Further data, depending on the code; absent if there is none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

/// A failed call, as a value: what becomes the JSON-RPC error object.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    /// The kind of failure.
    pub code: ErrorCode,
    /// A description for people: lower case, without a full stop.
    pub message: String,
    /// Further data, depending on the code; absent if there is none.
    pub details: Value,
}

impl RpcError {
    /// An error without details.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Value::Null,
        }
    }

    /// Sets the details; `Value::Null` means none.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// The `data` of the JSON-RPC error object.
    pub fn data(&self) -> ErrorData {
        ErrorData {
            code: self.code,
            retryable: self.code.retryable(),
            details: self.details.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_code_has_a_number_and_a_name_of_its_own() {
        let numbers: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.number()).collect();
        assert_eq!(numbers.len(), ErrorCode::ALL.len());
        for code in ErrorCode::ALL {
            let own = !(-32768..=-32000).contains(&code.number());
            let standard = matches!(code.number(), -32700 | -32603..=-32600);
            assert!(own || standard, "{code} has a reserved number");
            assert_eq!(
                serde_json::to_value(code).expect("a code is JSON"),
                code.name()
            );
        }
    }
}
