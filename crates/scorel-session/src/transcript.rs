//! A conversation as quoted text, for a model that is not in it.

use scorel_journal::Blobs;
use scorel_proto::{Block, Message, TokenEstimate, WindowItem, excerpt, without_tags};

/// How many bytes of a tool's result or arguments are quoted: a summary needs the findings, and the
/// rest of a long output is what made the conversation too long.
const RESULT_BYTES: usize = 2 * 1024;

/// The messages as text, one each.
pub(crate) fn quoted<'a>(
    messages: impl Iterator<Item = (&'a WindowItem, &'a Message)>,
    blobs: &Blobs,
) -> Vec<String> {
    messages
        .map(|(item, message)| quoted_message(item, message, blobs))
        .collect()
}

/// Joins texts to parts of at most about `max_tokens`. A text that is longer than that is divided.
pub(crate) fn parts(texts: &[String], max_tokens: u64) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut room = 0;
    for text in texts {
        for piece in pieces(text, max_tokens) {
            let size = TokenEstimate::of_text(piece).tokens();
            match parts.last_mut() {
                Some(part) if size < room => {
                    part.push_str("\n\n");
                    part.push_str(piece);
                    room -= size;
                }
                _ => {
                    parts.push(piece.to_owned());
                    room = max_tokens.saturating_sub(size);
                }
            }
        }
    }
    parts
}

/// The text in pieces of at most about `max_tokens`.
fn pieces(text: &str, max_tokens: u64) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while TokenEstimate::of_text(rest).tokens() > max_tokens {
        let mut size = TokenEstimate::default();
        let end = rest.char_indices().find_map(|(at, char)| {
            size += TokenEstimate::of_text(char.encode_utf8(&mut [0; 4]));
            (size.tokens() > max_tokens && at > 0).then_some(at)
        });
        let Some(end) = end else { break };
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

fn quoted_message(item: &WindowItem, message: &Message, blobs: &Blobs) -> String {
    let (who, content) = match message {
        Message::User(message) => ("user".to_owned(), &message.content),
        Message::Assistant(message) => ("agent".to_owned(), &message.content),
        Message::ToolResult(message) => {
            let result = message.result();
            let failed = if result.is_error { ", failed" } else { "" };
            let who = format!("result of {}{failed}", message.tool_name);
            let own = quoted_blocks(item.own_blocks(&result.content), blobs);
            // Whole: the user may have said something there.
            let reminders = quoted_blocks(item.reminder_blocks(&result.content), blobs);
            let text = format!("{}\n{reminders}", shortened(&own));
            return quotation(&who, text.trim_end());
        }
        Message::Internal(message) => ("program".to_owned(), &message.content),
    };
    quotation(&who, &quoted_blocks(content, blobs))
}

/// Nothing that is quoted can end the quotation.
fn quotation(who: &str, text: &str) -> String {
    let text = without_tags(text, &["conversation", "summary"]);
    format!("[{who}]\n{text}")
}

fn quoted_blocks(content: &[Block], blobs: &Blobs) -> String {
    let texts: Vec<String> = content
        .iter()
        .filter_map(|block| quoted_block(block, blobs))
        .collect();
    texts.join("\n")
}

fn quoted_block(block: &Block, blobs: &Blobs) -> Option<String> {
    Some(match block {
        // Reasoning led to the rest of the message; no other model can use it.
        Block::Thinking { .. } => return None,
        Block::Image { blob, .. } => {
            let bytes = blobs.get(blob).ok();
            let size = bytes.and_then(|bytes| imagesize::blob_size(&bytes).ok());
            size.map_or_else(
                || "[image]".to_owned(),
                |size| format!("[image {}x{}]", size.width, size.height),
            )
        }
        Block::ToolUse { name, input, .. } => {
            format!("[call of {name}] {}", shortened(&input.to_string()))
        }
        Block::Attachment(file) => {
            let content = quoted_blocks(&file.content, blobs);
            format!("[attached: {}]\n{}", file.title(), shortened(&content))
        }
        other => other.plain_text(),
    })
}

/// The beginning and the end of a long text.
fn shortened(text: &str) -> String {
    excerpt(text, RESULT_BYTES)
}

#[cfg(test)]
mod tests;
