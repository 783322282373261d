//! Content blocks, the parts of a message.

mod text_part;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use text_part::TextPart;

/// One part of a message's content.
#[serde_with::skip_serializing_none]
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
        /// In a message of a workflow run: the part of it that the text is.
        part: Option<TextPart>,
        /// In a message of a workflow run: the template that the text was made from.
        template_ref: Option<String>,
        /// Opaque provider data that must accompany this block in later requests.
        provider: Option<Value>,
    },
    /// Reasoning of the model.
    Thinking {
        /// The visible reasoning; empty if the provider withholds it.
        text: String,
        /// The provider's signature of the reasoning, which must be sent back unchanged.
        signature: Option<String>,
        /// True if the provider withheld the reasoning; `signature` then holds its encrypted form.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        redacted: bool,
        /// Opaque provider data that must accompany this block in later requests.
        provider: Option<Value>,
    },
    /// An image, stored as a blob of the session.
    Image {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The blob that holds the image.
        blob: BlobHash,
    },
    /// A tool call by the model.
    ToolUse {
        /// The call's id, assigned by the provider; unique within the message.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments; an empty object if the model's text is not a JSON object, see
        /// `invalidInput`.
        input: Value,
        /// The arguments as the model wrote them, if they are not a JSON object.
        invalid_input: Option<String>,
        /// Opaque provider data that must accompany this block in later requests.
        provider: Option<Value>,
    },
    /// The result of a tool call.
    ToolResult(ToolResultBlock),
    /// Content that is too large for an event, stored as a blob of the session.
    Blob {
        /// The blob that holds the content.
        sha256: BlobHash,
        /// The size of the content in bytes.
        size: u64,
        /// The media type, such as `text/plain`.
        media_type: String,
        /// The beginning of the content, for display and for the model.
        preview: String,
    },
    /// A file that was attached to a user message. In a tool's result: instructions for the directory
    /// that the tool has touched.
    Attachment(Attachment),
}

impl Block {
    /// A text block without provider data.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            part: None,
            template_ref: None,
            provider: None,
        }
    }

    /// A part of a message of a workflow run.
    pub fn part(part: TextPart, text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            part: Some(part),
            template_ref: None,
            provider: None,
        }
    }

    /// The block as plain text: a name or a media type stands for an image, a call or an attachment.
    pub fn plain_text(&self) -> String {
        match self {
            Self::Text { text, .. } | Self::Thinking { text, .. } => text.clone(),
            Self::Image { media_type, .. } => format!("[{media_type}]"),
            Self::ToolUse { name, .. } => format!("[call of {name}]"),
            Self::ToolResult(result) => Self::plain_text_of(&result.content),
            Self::Blob { size, preview, .. } => format!("{preview}\n[{size} bytes in all]"),
            Self::Attachment(file) => format!("[attached: {}]", file.title()),
        }
    }

    /// The text of all blocks, a line break between them.
    pub fn plain_text_of(content: &[Self]) -> String {
        let texts: Vec<String> = content.iter().map(Self::plain_text).collect();
        texts.join("\n")
    }

    /// The block as people read it: as [`Block::plain_text`], but of the text that a workflow run puts before
    /// their words one line remains.
    pub fn shown_text(&self) -> String {
        match self {
            Self::Text {
                text,
                part: Some(part),
                ..
            } => part.shown(text),
            Self::Text {
                text,
                template_ref: Some(_),
                ..
            } => text_part::first_lines(text),
            block => block.plain_text(),
        }
    }

    /// Returns whether one line of the block is shown: a workflow run has put it before a person's words.
    pub const fn is_folded(&self) -> bool {
        matches!(
            self,
            Self::Text {
                part: Some(TextPart::RunDirective | TextPart::NodeBrief),
                ..
            } | Self::Text {
                part: None,
                template_ref: Some(_),
                ..
            }
        )
    }

    /// The words of a person in a message, to be sent as a new one: a workflow run puts its own texts before
    /// that again.
    pub fn typed(content: Vec<Self>) -> Vec<Self> {
        let typed = content.into_iter().filter(|block| !block.is_folded());
        let words = typed.map(|block| match &block {
            Self::Text { part: Some(_), .. } => Self::text(block.shown_text()),
            _ => block,
        });
        words.collect()
    }

    /// As [`Block::shown_text`], of all blocks, a line break between them.
    pub fn shown_text_of(content: &[Self]) -> String {
        let texts: Vec<String> = content.iter().map(Self::shown_text).collect();
        texts.join("\n")
    }
}

/// The result of one tool call.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultBlock {
    /// The `id` of the `tool_use` block.
    pub tool_use_id: String,
    /// The content for the model.
    pub content: Vec<Block>,
    /// True if the call failed.
    pub is_error: bool,
    /// Structured data for user interfaces, by tool. The model does not get it.
    pub details: Option<Value>,
}

impl ToolResultBlock {
    /// The result of a failed call, with an error text for the model.
    pub fn error(tool_use_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content: vec![Block::text(text)],
            is_error: true,
            details: None,
        }
    }
}

/// A file that was attached to a message, as it was at that time.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attachment {
    /// The file: relative to the project.
    pub path: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// The encoding of the file, unless that is UTF-8.
    pub encoding: Option<String>,
    /// The content of the file: a `text` block or an `image` block.
    pub content: Vec<Block>,
}

/// The SHA-256 of a blob's bytes, as 64 lower-case hexadecimal digits. It identifies the blob
/// within its session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct BlobHash(#[schemars(regex(pattern = "^[0-9a-f]{64}$"))] String);

impl BlobHash {
    /// The hexadecimal digits.
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

/// The text is not a SHA-256 in lower-case hexadecimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a blob hash is 64 lower-case hexadecimal digits")]
pub struct InvalidBlobHash;
