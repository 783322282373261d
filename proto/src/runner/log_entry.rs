use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::log_stream::RunnerLogStream;

/// A text that a runner logged. Adjacent texts of one stream are one entry, divided anywhere.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogEntry {
    /// Names the entry in its turn: how many bytes of the log are before it.
    pub id: String,
    /// Where the text comes from.
    pub stream: RunnerLogStream,
    /// The text. Not escaped: it may contain terminal control sequences.
    pub text: String,
    /// When its first part was logged, in milliseconds since 1970; absent in logs of older versions.
    pub timestamp: Option<u64>,
}
