//! Messages that are too large for a record of the log.

use scorel_journal::{BlobError, Blobs, MAX_RECORD};
use scorel_proto::{
    Block, ErrorChain, Message, PersistentBody, PersistentEvent, ToolResultContent, UnsavedRecord,
};

use super::queue::encoded_len;
use super::{EventDraft, Section};
use crate::SessionError;

/// The part of a record that is reserved for everything but its message, in bytes.
const MARGIN: usize = 64 * 1024;

/// How much of a text stays in the message when the text becomes a blob, in bytes.
const PREVIEW: usize = 16 * 1024;

/// The largest text in a result of a runner's tool, in bytes. It has a context of its own, so a model that
/// takes over needs the beginning at most.
const RUNNER_RESULT: usize = 64 * 1024;

impl Section<'_> {
    /// Commits an event. If its message is too large for a record, the largest texts become blobs.
    ///
    /// Tried as it is first: almost every message fits, and measuring means encoding it twice.
    pub(crate) fn commit_any_size(
        &mut self,
        draft: &EventDraft,
    ) -> Result<PersistentEvent, SessionError> {
        let committed = self.commit_fitting(draft.clone());
        // A record that waits for one of its blobs waits as a whole.
        if matches!(committed, Err(SessionError::Stalled(_))) && self.state.unsaved.is_none() {
            self.state.unsaved = Some(UnsavedRecord {
                kind: draft.body.type_name().to_owned(),
                bytes: encoded_len(&draft.body) as u64,
            });
        }
        committed
    }

    fn commit_fitting(&mut self, mut draft: EventDraft) -> Result<PersistentEvent, SessionError> {
        if let PersistentBody::Message(body) = &mut draft.body {
            shorten_runner_result(&mut body.message, &self.lane.blobs)?;
        }
        match self.commit(draft.clone()) {
            Err(SessionError::TooLarge { .. }) => {
                if let PersistentBody::Message(body) = &mut draft.body {
                    let files = encoded_len(&body.files);
                    make_fit(&mut body.message, files, &self.lane.blobs)?;
                }
                self.commit(draft)
            }
            committed => committed,
        }
    }
}

/// Large texts in a result of a runner's tool become blobs.
fn shorten_runner_result(message: &mut Message, blobs: &Blobs) -> Result<(), SessionError> {
    let is_runners = message.runner().is_some() && matches!(message, Message::ToolResult(_));
    if !is_runners {
        return Ok(());
    }
    let blocks = content(message).iter_mut();
    for block in blocks.filter(|block| text_len(block) > RUNNER_RESULT) {
        *block = stored(block, blobs)?;
    }
    Ok(())
}

/// Makes a message small enough for a record. `files` is the length of the recorded changes of files, in
/// bytes.
pub(crate) fn make_fit(
    message: &mut Message,
    files: usize,
    blobs: &Blobs,
) -> Result<(), SessionError> {
    while !fits(message, files) {
        let blocks = content(message).iter_mut();
        let largest = blocks.max_by_key(|block| text_len(block));
        match largest.filter(|block| text_len(block) > PREVIEW) {
            Some(block) => *block = stored(block, blobs)?,
            None => break,
        }
    }
    if fits(message, files) {
        return Ok(());
    }
    // The model never gets these, so they may go.
    match message {
        Message::ToolResult(message) => {
            let [ToolResultContent::ToolResult(result)] = &mut message.content;
            result.details = None;
        }
        Message::Assistant(message) if message.partial => {
            let is_thinking = |block: &Block| matches!(block, Block::Thinking { .. });
            message.content.retain(|block| !is_thinking(block));
        }
        Message::User(_) | Message::Assistant(_) | Message::Internal(_) => {}
    }
    Ok(())
}

fn fits(message: &Message, files: usize) -> bool {
    encoded_len(message) <= (MAX_RECORD - MARGIN).saturating_sub(files)
}

fn content(message: &mut Message) -> &mut [Block] {
    match message {
        Message::User(message) => &mut message.content,
        Message::Assistant(message) => &mut message.content,
        Message::Internal(message) => &mut message.content,
        Message::ToolResult(message) => {
            let [ToolResultContent::ToolResult(result)] = &mut message.content;
            &mut result.content
        }
    }
}

fn text_len(block: &Block) -> usize {
    match block {
        Block::Text { text, .. } => text.len(),
        _ => 0,
    }
}

/// Replaces a text by a blob, which is durable when this returns: a record must not name content
/// that a crash could lose.
fn stored(block: &Block, blobs: &Blobs) -> Result<Block, SessionError> {
    let Block::Text { text, .. } = block else {
        return Ok(block.clone());
    };
    let mut end = PREVIEW.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Ok(Block::Blob {
        // As for a record: whatever the disk refuses now may work later.
        sha256: blobs.put(text.as_bytes()).map_err(|error| match error {
            BlobError::Io(_) => SessionError::Stalled(ErrorChain(&error).to_string()),
            error => error.into(),
        })?,
        size: text.len() as u64,
        media_type: "text/plain".to_owned(),
        preview: text[..end].to_owned(),
    })
}
