use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `gc`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GcParams {
    /// `true`: removes what it finds; `false` or absent: only reports it.
    pub apply: Option<bool>,
}

/// Result of `gc`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GcResult {
    /// True if it was removed.
    pub applied: bool,
    /// The garbage that there is, or that was removed, one row for each kind.
    pub rows: Vec<GarbageRow>,
    /// The items that could not be looked at or removed, for people; at most 100 lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// The garbage of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GarbageRow {
    /// The kind.
    pub kind: GarbageKind,
    /// Their number.
    pub items: u64,
    /// Their size in bytes. A blob that a clone shares counts in full.
    pub bytes: u64,
}

/// A kind of what nothing refers to any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GarbageKind {
    /// Deleted sessions that can no longer be brought back.
    Trash,
    /// Blobs that no log names, and that were stored more than 7 days ago.
    Blobs,
    /// Copies of damaged files that a repair kept more than 30 days ago.
    Copies,
    /// Copies of items that no project trusts any more.
    Store,
}
