//! Content blocks: what messages are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One piece of a message's content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Block {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// What the provider needs back with this block in later requests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<Value>,
    },
    /// The model's reasoning.
    Thinking {
        /// The visible reasoning; empty where the provider hides it.
        text: String,
        /// The provider's proof of the reasoning, sent back unchanged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// Whether the provider hid the reasoning; `signature` then holds the opaque data.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        redacted: bool,
        /// What the provider needs back with this block in later requests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<Value>,
    },
    /// A picture, stored as a blob of the session.
    Image {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The SHA-256 of the picture's bytes, in hexadecimal: the name of the blob.
        blob: BlobHash,
    },
    /// The model asks for a tool.
    ToolUse {
        /// The call's id, as the model gave it.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments. An empty object if they could not be parsed; see `invalidInput`.
        input: Value,
        /// The arguments as the model wrote them, when they are not a JSON object.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        invalid_input: Option<String>,
        /// What the provider needs back with this block in later requests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<Value>,
    },
    /// The answer to a `tool_use`.
    ToolResult(ToolResultBlock),
    /// Content too large for an event, stored as a blob of the session.
    Blob {
        /// The SHA-256 of the content, in hexadecimal: the name of the blob.
        sha256: BlobHash,
        /// The content's length in bytes.
        size: u64,
        /// The media type, such as `text/plain`.
        media_type: String,
        /// The beginning of the content, for people and for the model.
        preview: String,
    },
}

impl Block {
    /// A text block without provider data.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            provider: None,
        }
    }
}

/// The answer to one tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultBlock {
    /// The id of the `tool_use` this answers.
    pub tool_use_id: String,
    /// What the model gets.
    pub content: Vec<Block>,
    /// Whether the call failed.
    pub is_error: bool,
    /// What a user interface may show; the model never gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl ToolResultBlock {
    /// A failed call with one line for the model.
    #[must_use]
    pub fn error(tool_use_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content: vec![Block::text(text)],
            is_error: true,
            details: None,
        }
    }
}

/// The SHA-256 of a blob's bytes: 64 lower-case hexadecimal digits. It names the blob.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct BlobHash(#[schemars(regex(pattern = "^[0-9a-f]{64}$"))] String);

impl BlobHash {
    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for BlobHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::str::FromStr for BlobHash {
    type Err = InvalidBlobHash;

    fn from_str(text: &str) -> Result<Self, InvalidBlobHash> {
        let digits = text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if text.len() == 64 && digits {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidBlobHash)
        }
    }
}

impl<'de> Deserialize<'de> for BlobHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A text is not a SHA-256 in lower-case hexadecimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a blob hash is 64 lower-case hexadecimal digits")]
pub struct InvalidBlobHash;
