use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One part of a system prompt.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstructionPart {
    /// The origin of the part: `base`, `environment`, `workspace`, `prompt`, `agents`, `tools`, or a
    /// later one.
    pub source: String,
    /// The text.
    pub text: String,
    /// The file that the text comes from, if it comes from one.
    pub path: Option<String>,
    /// The SHA-256 of the bytes read from the source, before the budget cut them, as 64 hexadecimal
    /// digits: the part has changed when this has.
    pub sha256: Option<String>,
    /// The bytes of the source that a limit left out.
    pub cut_bytes: Option<u64>,
}
