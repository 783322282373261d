use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The log of a session cannot be written, because the disk is full for example. The running turn
/// waits, and goes on by itself.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StorageStall {
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// The record that waits in memory. It is lost if the daemon ends before it could be written;
    /// a cancel does not drop it. Absent if no record waits yet.
    pub unsaved: Option<UnsavedRecord>,
}

/// A record that is not in the log yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnsavedRecord {
    /// Its `type`, such as `message`; `blob` for a text that a record is to name.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its length, in bytes.
    pub bytes: u64,
}
