use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fate of a turn that was running when the daemon ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnRestart {
    /// The turn ends as `interrupted`.
    #[default]
    Mark,
    /// The turn goes on, once: a second restart interrupts it.
    Resume,
}
