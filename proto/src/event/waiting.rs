use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason for which a turn is suspended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitKind {
    /// The provider's rate limit: the model call is made again then.
    RateLimit,
    /// A restart of the daemon.
    Restart,
}
