use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The runner that a message comes from.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageRunner {
    /// Its name in the configuration, such as `codex`.
    pub name: String,
    /// Its context, which holds the message; absent if the runner had not named it by then.
    pub context_id: Option<String>,
}
