//! Errors on the wire.
//!
//! A failed call answers with a JSON-RPC error object whose `data` is an [`ErrorData`]. Clients
//! decide by `data.code`; `message` is for people.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal, $text:literal, $retryable:literal;)*) => {
        /// What went wrong, in a form that programs decide by.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum ErrorCode {
            $($(#[doc = $doc])* $name,)*
        }

        impl ErrorCode {
            /// Every code, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The number in the JSON-RPC error object.
            #[must_use]
            pub const fn number(self) -> i32 {
                match self { $(Self::$name => $number,)* }
            }

            /// The name in `data.code`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What the code means, in a sentence.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),*).trim_start(),)* }
            }

            /// Whether the same call may succeed later, unchanged.
            #[must_use]
            pub const fn retryable(self) -> bool {
                match self { $(Self::$name => $retryable,)* }
            }
        }
    };
}

codes! {
    /// The text is not JSON, or is nested too deeply.
    ParseError = -32700, "parse_error", false;
    /// The JSON is not a JSON-RPC 2.0 request.
    InvalidRequest = -32600, "invalid_request", false;
    /// There is no such method.
    MethodNotFound = -32601, "method_not_found", false;
    /// The parameters do not fit the method; `details.field` may say where.
    InvalidParams = -32602, "invalid_params", false;
    /// The daemon failed in a way that it did not foresee.
    InternalError = -32603, "internal_error", false;
    /// There is no session with this id.
    SessionNotFound = 1001, "session_not_found", false;
    /// There is no project with this id.
    ProjectNotFound = 1002, "project_not_found", false;
    /// The project still has sessions.
    ProjectHasSessions = 1003, "project_has_sessions", false;
    /// A turn is running or messages are queued; `details.phase` says what the session is doing.
    RuntimeBusy = 1004, "runtime_busy", true;
    /// The state is not what the caller expected, or a command id was used for something else.
    Conflict = 1005, "conflict", false;
    /// The event does not exist, or cannot be used in this place.
    InvalidEventId = 1006, "invalid_event_id", false;
    /// The target lies before the last compaction.
    CannotRewindPastCompact = 1007, "cannot_rewind_past_compact", false;
    /// The caller did not prove who it is.
    AuthFailed = 1008, "auth_failed", false;
    /// The caller may not do this.
    Forbidden = 1009, "forbidden", false;
    /// Client and daemon have no protocol version in common; `details` holds both ranges.
    ProtocolMismatch = 1010, "protocol_mismatch", false;
    /// A frame, a message or a blob is larger than its limit; `details.limit` is in bytes.
    PayloadTooLarge = 1011, "payload_too_large", false;
    /// A limit on connections, subscriptions or queued messages is reached.
    Overloaded = 1012, "overloaded", true;
    /// The session cannot go on; `details` says why and where.
    SessionFailed = 1013, "session_failed", false;
    /// The session or the daemon's own files cannot be written at the moment, for example because
    /// the disk is full. Reading works, and so does everything else once there is room again.
    StorageStalled = 1014, "storage_stalled", true;
    /// The queue is paused and the caller asked not to be queued.
    QueuePaused = 1015, "queue_paused", false;
    /// The daemon is stopping.
    ShuttingDown = 1016, "shutting_down", true;
    /// A file or directory could not be used; `details.path` says which.
    FilesystemError = 1017, "filesystem_error", false;
    /// The model's provider could not be used.
    ProviderError = 1018, "provider_error", false;
    /// This daemon does not have this feature.
    Unsupported = 1019, "unsupported", false;
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The `data` of a JSON-RPC error object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorData {
    /// What went wrong.
    pub code: ErrorCode,
    /// Whether the same call may succeed later, unchanged.
    pub retryable: bool,
    /// Facts about the failure, by code.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

/// A failed call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    /// What went wrong.
    pub code: ErrorCode,
    /// The failure in words, beginning in lower case, without a final stop.
    pub message: String,
    /// Facts about the failure, by code.
    pub details: Value,
}

impl RpcError {
    /// An error without details.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Value::Null,
        }
    }

    /// Adds facts about the failure.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// The `data` of the JSON-RPC error object.
    #[must_use]
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
