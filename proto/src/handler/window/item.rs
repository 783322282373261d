use crate::{Block, EventId, Seq, TokenEstimate, TurnId, Usage};

/// One message of a [`ContextWindow`](crate::ContextWindow) and the events behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowItem {
    /// The event that the message comes from; for a message about the end of a turn the turn's last
    /// event of the path.
    pub event_id: EventId,
    /// The number of the event that the message comes from.
    pub seq: Seq,
    /// The turn of that event.
    pub turn_id: Option<TurnId>,
    /// The last event that is part of the message: a reminder that was merged into it, else the
    /// event itself. A summary that leaves out this message covers the path through here.
    pub last_event_id: EventId,
    /// The estimated size of the message as it is now.
    pub tokens: TokenEstimate,
    /// The reminders at the end of the message that were merged into it.
    pub(super) merged: Vec<MergedReminder>,
    /// True for a note of the program, which is a reminder of its own.
    pub is_note: bool,
}

/// A reminder that was merged into a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MergedReminder {
    pub(super) event_id: EventId,
    /// The number of its blocks of the message.
    pub(super) blocks: usize,
}

impl WindowItem {
    /// Of the blocks of the message those of its event, without merged reminders.
    pub fn own_blocks<'a>(&self, content: &'a [Block]) -> &'a [Block] {
        &content[..content.len().saturating_sub(self.reminders())]
    }

    /// The blocks that are merged reminders: messages of the user to the running turn, and notes of
    /// the program.
    pub fn reminder_blocks<'a>(&self, content: &'a [Block]) -> &'a [Block] {
        &content[content.len().saturating_sub(self.reminders())..]
    }

    /// Returns whether reminders are merged into the message.
    pub fn has_reminders(&self) -> bool {
        self.reminders() > 0
    }

    /// The events behind the message in their order, each with its blocks of the content: its own, and those
    /// that were merged into it.
    pub fn parts<'a>(&self, content: &'a [Block]) -> Vec<(EventId, &'a [Block])> {
        let mut parts = vec![(self.event_id, self.own_blocks(content))];
        let mut rest = self.reminder_blocks(content);
        for part in &self.merged {
            let (blocks, others) = rest.split_at(part.blocks.min(rest.len()));
            parts.push((part.event_id, blocks));
            rest = others;
        }
        parts
    }

    /// The number of blocks at the end of the message that are merged reminders.
    pub(super) fn reminders(&self) -> usize {
        self.merged.iter().map(|part| part.blocks).sum()
    }
}

/// The newest answer of a window whose endpoint said how large its request was. The request is a
/// prefix of the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredCall {
    /// The answer.
    pub event_id: EventId,
    /// The answer's number.
    pub seq: Seq,
    /// The model as the answer names it.
    pub model: String,
    /// The usage that the endpoint reported.
    pub usage: Usage,
    /// The estimated size of the messages before the answer.
    pub before: TokenEstimate,
    /// The same with the answer.
    pub through: TokenEstimate,
    /// The answer's place in the window.
    pub(super) index: usize,
}

impl MeasuredCall {
    /// An answer, and the estimated sizes before it and through it.
    pub fn new(
        (event_id, seq): (EventId, Seq),
        model: impl Into<String>,
        usage: Usage,
        (before, through): (TokenEstimate, TokenEstimate),
    ) -> Self {
        Self {
            event_id,
            seq,
            model: model.into(),
            usage,
            before,
            through,
            index: 0,
        }
    }
}
