use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a session's title comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TitleSource {
    /// The first line of the first message.
    Opening,
    /// A model wrote it after the first turn.
    Generated,
    /// A client set it.
    Client,
}
