use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::BlobHash;

/// Body of `tool_set`: the tools of programs that the daemon does not control, servers and extensions, as the model is
/// offered them from here on. Requests begin with them, so they stay until the next `tool_set`, whatever the programs
/// list meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolSetBody {
    /// The SHA-256 of all that the model is told of them, in hexadecimal: equal for sets that make equal requests.
    pub fingerprint: String,
    /// The set: a JSON object whose `tools` are sorted by `name`.
    pub blob: BlobHash,
    /// The number of tools.
    pub tools: u64,
    /// The number of those that requests do not describe: the model finds them with `ToolSearch` and calls them with
    /// `ToolCall`.
    pub deferred: u64,
}
