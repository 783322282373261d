use crate::tags::{reminder, without_our_tags};
use crate::{Block, ContextOp, EventId, Message, ToolResultContent};

/// A change to one message of the context, after it was included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextEdit {
    /// Shortens a tool result. Its images go; reminders that were merged into it stay.
    Trim {
        /// The message with the result.
        event_id: EventId,
        /// The characters that stay.
        keep_chars: u64,
    },
    /// The changes of a hook.
    Op(ContextOp),
}

impl ContextEdit {
    /// The event whose message is changed.
    pub const fn event_id(&self) -> EventId {
        match self {
            Self::Trim { event_id, .. } => *event_id,
            Self::Op(op) => op.event_id(),
        }
    }
}

/// Shortens a result, whose last `reminders` blocks are reminders. Nothing happens to another message.
pub(super) fn shorten(message: &mut Message, reminders: usize, keep_chars: u64) {
    if let Message::ToolResult(message) = message {
        let [ToolResultContent::ToolResult(result)] = &mut message.content;
        let own = result.content.len().saturating_sub(reminders);
        let keep = usize::try_from(keep_chars).unwrap_or(usize::MAX);
        if let Some(trimmed) = trimmed_content(&result.content[..own], keep) {
            result.content.splice(..own, [trimmed]);
        }
    }
}

/// Puts a hook's text in the place of a message's own content, before its last `reminders` blocks. What takes
/// the place of a note of the program is one too. Nothing happens to an answer.
pub(super) fn replace(message: &mut Message, reminders: usize, is_note: bool, text: &str) {
    let text = if is_note {
        reminder(text)
    } else {
        without_our_tags(text).into_owned()
    };
    match message {
        Message::User(message) => message.content = vec![Block::text(text)],
        Message::ToolResult(message) => {
            let [ToolResultContent::ToolResult(result)] = &mut message.content;
            let own = result.content.len().saturating_sub(reminders);
            result.content.splice(..own, [Block::text(text)]);
        }
        Message::Assistant(_) | Message::Internal(_) => {}
    }
}

/// A tool result, shortened to `keep` characters; `None` if it is short already and has no image.
///
/// The first and the last characters stay: a file is known by its beginning, and the output of a
/// command says at its end how it went.
pub fn trimmed_content(content: &[Block], keep: usize) -> Option<Block> {
    let has_images = content
        .iter()
        .any(|block| matches!(block, Block::Image { .. }));
    let text = Block::plain_text_of(content);
    let chars = text.chars().count();
    if chars <= keep {
        return has_images.then(|| Block::text(text));
    }
    let place = |chars: usize| {
        text.char_indices()
            .nth(chars)
            .map_or(text.len(), |(at, _)| at)
    };
    let head = &text[..place(keep - keep / 2)];
    let tail = &text[place(chars - keep / 2)..];
    let gone = chars - keep;
    Some(Block::text(format!(
        "{head}\n[{gone} characters of this result were removed to save room. To read them, ask the tool \
         for that part alone, as with offset and limit]\n{tail}"
    )))
}
