use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the history of an imported session comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionOrigin {
    /// The program that wrote the file.
    pub tool: ImportTool,
    /// The name of the conversation in the file: the id of a session of that tool.
    pub id: String,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

/// A program whose conversations can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportTool {
    /// This one: a bundle.
    Scorel,
    /// Claude Code: a transcript.
    ClaudeCode,
    /// Codex: a rollout.
    Codex,
    /// A program that this version does not know.
    #[serde(other)]
    Other,
}
