use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a text of a runner's log comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunnerLogStream {
    /// Output that is not a message of the runner's protocol.
    Stdout,
    /// The error output.
    Stderr,
    /// A message of the runner's protocol for people.
    Notice,
}
