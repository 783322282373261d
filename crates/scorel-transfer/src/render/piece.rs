use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use scorel_proto::{
    Attachment, BlobHash, Block, DisplayStyle, Message, PersistentBody, PersistentEvent,
    ToolResultBlock,
};

use super::date::date;

/// The content of blobs by hash. One that is missing is named in its place.
pub type BlobContents = HashMap<BlobHash, Vec<u8>>;

/// The media types of images that a document shows. Others could hold scripts.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// The author and the time.
    Speaker {
        name: String,
        at: String,
    },
    /// Markdown of a person or the model.
    Prose(String),
    Thinking(String),
    Call {
        name: String,
        input: String,
    },
    Result {
        text: String,
        is_error: bool,
    },
    /// An image as a `data:` address.
    Image(String),
    /// Something that is not part of the conversation.
    Note(String),
    Error(String),
}

/// The pieces that an event adds to the document.
pub(super) fn pieces(event: &PersistentEvent, blobs: &BlobContents) -> Vec<Piece> {
    let mut pieces = Pieces {
        blobs,
        found: Vec::new(),
    };
    match &event.body {
        PersistentBody::Message(body) => pieces.message(&body.message, event.ts),
        PersistentBody::Compact(body) => {
            pieces.note("The conversation up to here was summarised.");
            pieces.found.push(Piece::Thinking(body.summary.clone()));
        }
        body => pieces.other(body),
    }
    pieces.found
}

struct Pieces<'a> {
    blobs: &'a BlobContents,
    found: Vec<Piece>,
}

impl Pieces<'_> {
    fn message(&mut self, message: &Message, ts: u64) {
        match message {
            Message::User(message) => {
                self.speaker("User", ts);
                self.content(&message.content);
            }
            Message::Assistant(message) => {
                self.speaker(&format!("Assistant ({})", message.model), ts);
                self.content(&message.content);
            }
            Message::ToolResult(message) => self.result(message.result()),
            Message::Internal(message) => {
                let text = Block::plain_text_of(&message.content);
                self.note(&text);
            }
        }
    }

    /// An event that is not a message, as a transcript shows it.
    fn other(&mut self, body: &PersistentBody) {
        for part in body.convert_to_display() {
            self.found.push(match part.style {
                DisplayStyle::Error => Piece::Error(part.text),
                _ => Piece::Note(part.text),
            });
        }
    }

    fn content(&mut self, content: &[Block]) {
        for block in content {
            match block {
                Block::Text { .. } if block.is_folded() => self.note(&block.shown_text()),
                Block::Text { .. } => self.found.push(Piece::Prose(block.shown_text())),
                Block::Thinking { text, .. } if text.trim().is_empty() => {}
                Block::Thinking { text, .. } => self.found.push(Piece::Thinking(text.clone())),
                Block::Image { media_type, blob } => self.image(media_type, blob),
                Block::ToolUse {
                    name,
                    input,
                    invalid_input,
                    ..
                } => {
                    let pretty = || serde_json::to_string_pretty(input).unwrap_or_default();
                    self.found.push(Piece::Call {
                        name: name.clone(),
                        input: invalid_input.clone().unwrap_or_else(pretty),
                    });
                }
                Block::ToolResult(result) => self.result(result),
                Block::Attachment(file) => self.attachment(file),
                Block::Blob { .. } => {
                    let text = self.text(block);
                    self.found.push(Piece::Prose(text));
                }
            }
        }
    }

    fn result(&mut self, result: &ToolResultBlock) {
        let texts: Vec<String> = result
            .content
            .iter()
            .map(|block| self.text(block))
            .collect();
        self.found.push(Piece::Result {
            text: texts.join("\n"),
            is_error: result.is_error,
        });
        for block in &result.content {
            if let Block::Image { media_type, blob } = block {
                self.image(media_type, blob);
            }
        }
    }

    fn attachment(&mut self, file: &Attachment) {
        self.note(&format!("Attached: {}", file.title()));
        for block in &file.content {
            match block {
                Block::Image { media_type, blob } => self.image(media_type, blob),
                block => {
                    let text = self.text(block);
                    let is_error = false;
                    self.found.push(Piece::Result { text, is_error });
                }
            }
        }
    }

    /// A block as text: a large one from its blob.
    fn text(&self, block: &Block) -> String {
        let Block::Blob { sha256, .. } = block else {
            return block.plain_text();
        };
        let content = self
            .blobs
            .get(sha256)
            .map(|bytes| String::from_utf8_lossy(bytes));
        content.map_or_else(|| block.plain_text(), |text| text.into_owned())
    }

    fn image(&mut self, media_type: &str, blob: &BlobHash) {
        let content = self.blobs.get(blob);
        self.found.push(match content {
            Some(bytes) if IMAGES.contains(&media_type) => {
                let data = BASE64.encode(bytes);
                Piece::Image(format!("data:{media_type};base64,{data}"))
            }
            _ => Piece::Note(format!("[{media_type} {blob}]")),
        });
    }

    fn speaker(&mut self, name: &str, ts: u64) {
        self.found.push(Piece::Speaker {
            name: name.to_owned(),
            at: date(ts),
        });
    }

    fn note(&mut self, text: &str) {
        self.found.push(Piece::Note(text.to_owned()));
    }
}
