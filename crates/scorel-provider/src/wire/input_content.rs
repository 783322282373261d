use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use scorel_proto::{Attachment, BlobHash, Block, ToolResultBlock};

use super::ModelEndpoint;

/// A block of a user message or a tool result, ready to be rendered by any wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InputContent<'a> {
    Text(Cow<'a, str>),
    Image {
        media_type: &'a str,
        /// The bytes in base64.
        data: String,
    },
}

impl<'a> InputContent<'a> {
    /// `None` if the block is empty or of a kind that is not sent.
    pub(crate) fn of<D>(endpoint: &ModelEndpoint<D>, block: &'a Block) -> Option<Self> {
        match block {
            Block::Image { media_type, blob } => Some(Self::image(endpoint, media_type, blob)),
            other => sendable_text(other).map(Self::Text),
        }
    }

    /// The contents of all blocks that have any.
    pub(crate) fn all<D>(
        endpoint: &ModelEndpoint<D>,
        blocks: &'a [Block],
    ) -> impl Iterator<Item = InputContent<'a>> {
        // A file's pictures follow the text that names it.
        let with_pictures = |block: &'a Block| {
            let file = match block {
                Block::Attachment(file) => Some(file),
                _ => None,
            };
            let pictures = file.into_iter().flat_map(Attachment::images);
            std::iter::once(block).chain(pictures)
        };
        blocks
            .iter()
            .flat_map(with_pictures)
            .filter_map(|block| InputContent::of(endpoint, block))
    }

    /// The text and the images of a tool result, for APIs that keep them apart. `see` is the text of one that
    /// has nothing but images.
    pub(crate) fn of_result<D>(
        endpoint: &ModelEndpoint<D>,
        result: &'a ToolResultBlock,
        see: &'a str,
    ) -> (Cow<'a, str>, impl Iterator<Item = InputContent<'a>>) {
        let mut texts = Vec::new();
        let mut images = Vec::new();
        for content in Self::all(endpoint, &result.content) {
            match content {
                Self::Text(text) => texts.push(text),
                image @ Self::Image { .. } => images.push(image),
            }
        }
        let text = match (texts.is_empty(), images.is_empty()) {
            (false, _) => joined(texts),
            (true, true) => "(no output)".into(),
            (true, false) => see.into(),
        };
        (text, images.into_iter())
    }

    /// The image, or a note in its place. A model without image input (after a switch of models)
    /// or a lost file must not make every later request of the session fail.
    fn image<D>(endpoint: &ModelEndpoint<D>, media_type: &'a str, blob: &BlobHash) -> Self {
        if !endpoint.images {
            return Self::Text("[a picture that this model cannot see]".into());
        }
        match endpoint.blobs.read(blob) {
            Ok(bytes) => Self::Image {
                media_type,
                data: STANDARD.encode(bytes),
            },
            Err(error) => {
                tracing::warn!(%blob, %error, "cannot read an image of the conversation");
                Self::Text("[a picture that can no longer be read]".into())
            }
        }
    }
}

/// The texts, one on each line.
pub(crate) fn joined(mut texts: Vec<Cow<'_, str>>) -> Cow<'_, str> {
    match texts.len() {
        0 => "".into(),
        1 => texts.remove(0),
        _ => texts.join("\n").into(),
    }
}

/// The text of a block as it is sent, or `None` for other blocks and for blank text, which
/// Anthropic rejects with status 400. Of a text that was moved to a blob only the preview is sent.
pub(crate) fn sendable_text(block: &Block) -> Option<Cow<'_, str>> {
    match block {
        Block::Text { text, .. } => (!text.trim().is_empty()).then_some(text.into()),
        Block::Blob { size, preview, .. } => {
            Some(format!("{preview}\n[cut off here; {size} bytes in all]").into())
        }
        Block::Attachment(file) => Some(file.tagged_text().into()),
        Block::Image { .. }
        | Block::ToolResult(_)
        | Block::ToolUse { .. }
        | Block::Thinking { .. } => None,
    }
}
