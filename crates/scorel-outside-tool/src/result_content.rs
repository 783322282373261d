use std::fmt;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use scorel_engine::{BlobSink, ToolOutcome};
use scorel_proto::{BlobHash, Block};
use serde_json::{Map, Value, json};

/// Characters of a result that the model gets; the whole is a blob.
const MAX_TEXT: usize = 30_000;

/// Bytes of a picture.
const MAX_PICTURE: usize = 5 * 1024 * 1024;

/// The pictures that models take.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The content of a result from outside, as it is kept: texts within a bound, bytes as blobs. Keeping it blocks.
pub struct ResultContent<'a> {
    blocks: Vec<Block>,
    /// Characters that are left.
    room: usize,
    blobs: &'a dyn BlobSink,
}

impl fmt::Debug for ResultContent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ResultContent").field(&self.blocks).finish()
    }
}

/// The reason why a part of a result is not kept.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    #[error("a picture is one of {}", PICTURES.join(", "))]
    NoPicture,
    #[error("a picture has at most {MAX_PICTURE} bytes")]
    LargePicture,
    #[error("it has bytes that are not base64: {0}")]
    NotBase64(#[from] base64::DecodeError),
    #[error(transparent)]
    NotKept(#[from] io::Error),
}

impl<'a> ResultContent<'a> {
    pub const fn new(blobs: &'a dyn BlobSink) -> Self {
        Self {
            blocks: Vec::new(),
            room: MAX_TEXT,
            blobs,
        }
    }

    /// Returns whether nothing was added.
    pub const fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Adds a text, or its beginning with the place of the whole.
    ///
    /// # Errors
    /// The whole cannot be kept.
    pub fn text(&mut self, text: String) -> Result<(), ContentError> {
        let end = text.char_indices().nth(self.room).map(|(at, _)| at);
        let Some(end) = end else {
            self.room -= text.chars().count();
            self.blocks.push(Block::text(text));
            return Ok(());
        };
        self.room = 0;
        let blob = self.blobs.store(text.as_bytes())?;
        let left = json!({ "bytes": text.len(), "blob": blob });
        self.blocks.push(Block::text(format!(
            "{}\n[cut here; the whole text is kept: {left}]",
            &text[..end]
        )));
        Ok(())
    }

    /// Adds a picture in base64.
    ///
    /// # Errors
    /// See [`ContentError`].
    pub fn picture(&mut self, data: &str, media_type: String) -> Result<(), ContentError> {
        if !PICTURES.contains(&media_type.as_str()) {
            return Err(ContentError::NoPicture);
        }
        if data.len() / 4 * 3 > MAX_PICTURE {
            return Err(ContentError::LargePicture);
        }
        let (blob, _) = self.keep(data)?;
        self.blocks.push(Block::Image { media_type, blob });
        Ok(())
    }

    /// Adds the place of bytes that models do not take, which are in base64.
    ///
    /// # Errors
    /// See [`ContentError`].
    pub fn bytes(&mut self, data: &str, media_type: &str) -> Result<(), ContentError> {
        let (blob, bytes) = self.keep(data)?;
        let kept = json!({ "mediaType": media_type, "bytes": bytes, "blob": blob });
        self.text(format!("[not text; it is kept: {kept}]"))
    }

    fn keep(&self, data: &str) -> Result<(BlobHash, usize), ContentError> {
        let bytes = STANDARD.decode(data)?;
        Ok((self.blobs.store(&bytes)?, bytes.len()))
    }

    /// The content.
    pub fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    /// The outcome with this content.
    pub fn outcome(self, is_error: bool, details: Map<String, Value>) -> ToolOutcome {
        let mut outcome = ToolOutcome::success("", &Value::Object(details));
        outcome.is_error = is_error;
        if let (true, Some(details)) = (is_error, &mut outcome.details) {
            details["ok"] = false.into();
        }
        outcome.content = self.blocks;
        if outcome.content.is_empty() {
            outcome.content.push(Block::text("(no output)"));
        }
        outcome
    }
}
