//! How turns end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Usage;

/// The body of `turn_outcome`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnOutcomeBody {
    /// How the turn ended.
    pub reason: OutcomeReason,
    /// What went wrong, for `error` and `limit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TurnError>,
    /// What the turn's model calls used.
    pub usage: Usage,
    /// How many model calls the turn made.
    pub steps: u32,
    /// How long the turn took, in milliseconds.
    pub duration_ms: u64,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeReason {
    /// The model finished.
    Completed,
    /// Somebody cancelled.
    Cancelled,
    /// Something failed.
    Error,
    /// The daemon stopped in the middle.
    Interrupted,
    /// A limit of the turn was reached.
    Limit,
}

/// What went wrong in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnError {
    /// The kind of failure: an error category of the model call, the name of a limit, or
    /// `internal_error`.
    pub code: String,
    /// The failure in words.
    pub message: String,
    /// Whether trying again may help.
    pub retryable: bool,
}
