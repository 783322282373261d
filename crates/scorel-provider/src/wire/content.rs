use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use scorel_proto::{BlobHash, Block};

use super::{Endpoint, Wire};

/// A block of a message of the user or of a tool, ready for any wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content<'a> {
    Text(Cow<'a, str>),
    Image {
        media_type: &'a str,
        /// The bytes in base64.
        data: String,
    },
}

impl<'a> Content<'a> {
    /// The block's content; `None` if it holds nothing to say.
    pub(crate) fn of<W: Wire>(endpoint: &Endpoint<W>, block: &'a Block) -> Option<Self> {
        match block {
            Block::Image { media_type, blob } => Some(Self::image(endpoint, media_type, blob)),
            other => said(other).map(Self::Text),
        }
    }

    /// The picture, or a note in its place: a model that takes none, or one lost file, does not end
    /// a conversation.
    fn image<W: Wire>(endpoint: &Endpoint<W>, media_type: &'a str, blob: &BlobHash) -> Self {
        if !endpoint.images {
            return Self::Text("[a picture that this model cannot see]".into());
        }
        match endpoint.blobs.read(blob) {
            Ok(bytes) => Self::Image {
                media_type,
                data: STANDARD.encode(bytes),
            },
            Err(error) => {
                tracing::warn!(%blob, %error, "a picture of the conversation cannot be read");
                Self::Text("[a picture that can no longer be read]".into())
            }
        }
    }
}

/// What a block says: its text, or the beginning of one that is too long to be sent. `None` if it
/// is no text, or nothing but white space.
pub(crate) fn said(block: &Block) -> Option<Cow<'_, str>> {
    match block {
        Block::Text { text, .. } => (!text.trim().is_empty()).then_some(text.into()),
        Block::Blob { size, preview, .. } => {
            Some(format!("{preview}\n[cut off here; {size} bytes in all]").into())
        }
        Block::Image { .. }
        | Block::ToolResult(_)
        | Block::ToolUse { .. }
        | Block::Thinking { .. } => None,
    }
}
