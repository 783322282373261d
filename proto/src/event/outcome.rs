//! Outcomes of turns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named::named;
use crate::{CostTotal, Usage};

/// Body of `turn_outcome`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnOutcomeBody {
    /// The outcome of the turn.
    pub reason: OutcomeReason,
    /// The failure or the limit; present for `error` and `limit`.
    pub error: Option<TurnError>,
    /// The tokens used by all model calls of the turn.
    pub usage: Usage,
    /// The cost of those model calls; absent if they cost nothing.
    #[serde(default, skip_serializing_if = "CostTotal::is_zero")]
    pub cost: CostTotal,
    /// The number of model calls.
    pub steps: u32,
    /// The time from the turn's first event to its end in milliseconds, including time spent
    /// waiting.
    pub duration_ms: u64,
}

named! {
    /// The outcome of a turn.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OutcomeReason {
        /// The model finished its answer.
        Completed = "completed",
        /// A client cancelled the turn.
        Cancelled = "cancelled",
        /// A model call failed, or an internal error occurred.
        Error = "error",
        /// The daemon stopped or crashed during the turn.
        Interrupted = "interrupted",
        /// The turn reached one of its limits.
        Limit = "limit",
    }
}

impl OutcomeReason {
    /// The reason in a few words, for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted: the daemon stopped in the middle of the turn",
            Self::Error => "the turn failed",
            Self::Limit => "the turn reached a limit",
        }
    }
}

/// Why a turn failed, or which limit it reached.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnError {
    /// The category of the failed model call, such as `rate_limit`; the name of the limit, such as
    /// `steps`; what a runner could not do: `runner_not_installed`, `runner_not_logged_in`,
    /// `runner_too_old`, `runner_context_lost`, `runner_unsuitable`, `runner_failed`,
    /// `runner_protocol` or `runner_stalled`; or `internal_error`.
    pub code: String,
    /// A description for people.
    pub message: String,
    /// True if the same message may succeed later.
    pub retryable: bool,
    /// A remedy, for people; absent if nothing is known to.
    pub hint: Option<String>,
    /// When a rate limit ends, in milliseconds since 1970; absent if that is not known.
    pub resets_at: Option<u64>,
    /// The sizes of the parts that fill the model's window; present for `context_overflow`.
    pub sizes: Option<Box<ContextSizes>>,
}

/// A request that does not fit into its model's window, in tokens. All but the window is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextSizes {
    /// The system prompt.
    pub system: u64,
    /// The descriptions of the tools.
    pub tools: u64,
    /// The messages: those that no summary can replace, or for which none could be made.
    pub kept: u64,
    /// The model's context window.
    pub window: u64,
}
