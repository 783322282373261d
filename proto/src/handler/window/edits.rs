//! Changes of messages that a window has already.

use super::super::ContextEdit;
use super::super::edit::{replace, shorten};
use super::ContextWindow;
use crate::{Block, ContextOp, EventId, Message, ToolResultContent, tags};

impl ContextWindow {
    pub(super) fn edit(&mut self, edits: &[ContextEdit]) {
        for edit in edits {
            let id = edit.event_id();
            // A message that is hidden has no place any more.
            let Some(&index) = self.places.get(&id) else {
                continue;
            };
            let is_own = self.items[index].event_id == id;
            match edit {
                ContextEdit::Trim { keep_chars, .. } if is_own => {
                    let reminders = self.items[index].reminders();
                    self.change(index, |message| shorten(message, reminders, *keep_chars));
                }
                ContextEdit::Trim { .. } => {}
                ContextEdit::Op(_) if self.is_summary(index) => {}
                ContextEdit::Op(ContextOp::Hide { .. }) if is_own => self.hide(index),
                ContextEdit::Op(ContextOp::Replace { text, .. }) if is_own => {
                    let item = &self.items[index];
                    let (reminders, is_note) = (item.reminders(), item.is_note);
                    self.change(index, |message| replace(message, reminders, is_note, text));
                }
                ContextEdit::Op(ContextOp::Hide { .. }) => {
                    self.replace_merged(index, id, None);
                    self.places.remove(&id);
                }
                ContextEdit::Op(ContextOp::Replace { text, .. }) => {
                    let block = Block::text(tags::reminder(text));
                    self.replace_merged(index, id, Some(block));
                }
            }
        }
    }

    /// Returns whether the message stands for what the barrier covers.
    fn is_summary(&self, index: usize) -> bool {
        self.barrier.is_some() && index == 0
    }

    fn change(&mut self, index: usize, change: impl FnOnce(&mut Message)) {
        if let Some(message) = self.context.get_mut(index) {
            change(message);
            self.weigh(index);
            self.forget_measured(index);
        }
    }

    /// A request that had the message is no prefix of those to come.
    fn forget_measured(&mut self, index: usize) {
        if self.measured.as_ref().is_some_and(|it| index < it.index) {
            self.measured = None;
        }
    }

    /// Takes a message of a user, or a note, out of the window. Each call needs its result, and an answer
    /// is the model's own.
    fn hide(&mut self, index: usize) {
        if !matches!(self.context[index], Message::User(_)) {
            return;
        }
        self.forget_measured(index);
        let item = self.items.remove(index);
        self.context.remove(index);
        self.tokens = self.tokens - item.tokens;
        self.places.remove(&item.event_id);
        for place in self.places.values_mut() {
            if *place > index {
                *place -= 1;
            }
        }
        if index < self.covered {
            self.covered -= 1;
        }
    }

    /// Puts a block in the place of those of a reminder that was merged into a result.
    fn replace_merged(&mut self, index: usize, id: EventId, block: Option<Block>) {
        let item = &mut self.items[index];
        let Some(at) = item.merged.iter().position(|part| part.event_id == id) else {
            return;
        };
        let behind: usize = item.merged[at..].iter().map(|part| part.blocks).sum();
        let blocks = item.merged[at].blocks;
        item.merged[at].blocks = usize::from(block.is_some());
        self.change(index, |message| {
            if let Message::ToolResult(message) = message {
                let [ToolResultContent::ToolResult(result)] = &mut message.content;
                let from = result.content.len().saturating_sub(behind);
                result.content.splice(from..from + blocks, block);
            }
        });
    }
}
