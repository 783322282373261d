use std::collections::VecDeque;
use std::io;

use scorel_proto::{
    DisplayPart, DisplayStyle, Event, EventId, InFlight, ModelRetry, OpenBlock, PersistentBody,
    PersistentEvent, RunnerLogStream, TransientBody,
};

use super::{Screen, waits};
use crate::output::Output;

/// Renders events as they arrive: deltas at once, and of the finished message only what the deltas
/// did not already show.
#[derive(Debug)]
pub(crate) struct Transcript {
    screen: Screen,
    /// Set to show user messages.
    with_users: bool,
    /// The blocks of messages being generated.
    open: Vec<ShownBlock>,
    /// The retry that was shown last.
    retry: Option<ModelRetry>,
}

/// A block of text or reasoning, with the text shown so far.
#[derive(Debug)]
struct ShownBlock {
    message: EventId,
    index: u32,
    style: DisplayStyle,
    text: String,
}

impl Transcript {
    pub(crate) const fn new(screen: Screen, with_users: bool) -> Self {
        Self {
            screen,
            with_users,
            open: Vec::new(),
            retry: None,
        }
    }

    /// Shows what an event adds.
    pub(crate) fn event(&mut self, event: &Event, output: &mut Output) -> io::Result<()> {
        match event {
            Event::Persistent(event) => self.record(event, output),
            Event::Transient(event) => self.transient(&event.body, output),
            Event::Unknown(event) if event.prev.is_some() => {
                let text = format!("event of unknown type {}", event.type_name);
                self.note(&text, output)
            }
            Event::Unknown(_) => Ok(()),
        }
    }

    /// Shows what a snapshot adds to the open messages.
    pub(crate) fn in_flight(&mut self, now: &InFlight, output: &mut Output) -> io::Result<()> {
        let is_open = |id| {
            now.open
                .messages
                .iter()
                .any(|message| message.event_id == id)
        };
        self.open.retain(|block| is_open(block.message));
        if let Some(retry) = &now.open.retry {
            self.retry(retry, output)?;
        }
        for message in &now.open.messages {
            for (index, block) in (0..).zip(&message.blocks) {
                let (style, text) = match block {
                    OpenBlock::Text { text } => (DisplayStyle::Assistant, text),
                    OpenBlock::Thinking { text } => (DisplayStyle::Thinking, text),
                    OpenBlock::ToolUse { .. } => continue,
                };
                let shown = self.block(message.event_id, index, style);
                let rest = text
                    .strip_prefix(shown.text.as_str())
                    .unwrap_or_default()
                    .to_owned();
                self.delta(message.event_id, index, style, &rest, output)?;
            }
        }
        Ok(())
    }

    /// Shows a message of this program.
    pub(crate) fn note(&mut self, text: &str, output: &mut Output) -> io::Result<()> {
        let part = DisplayPart {
            style: DisplayStyle::Note,
            text: text.to_owned(),
        };
        self.screen.part(&part, output)
    }

    pub(crate) fn end_line(&mut self, output: &mut Output) -> io::Result<()> {
        self.screen.end_line(output)
    }

    fn transient(&mut self, body: &TransientBody, output: &mut Output) -> io::Result<()> {
        match body {
            TransientBody::TextDelta(delta) => {
                let (id, index) = (delta.event_id, delta.block_index);
                self.delta(id, index, DisplayStyle::Assistant, &delta.delta, output)
            }
            TransientBody::ThinkingDelta(delta) => {
                let (id, index) = (delta.event_id, delta.block_index);
                self.delta(id, index, DisplayStyle::Thinking, &delta.delta, output)
            }
            TransientBody::MessageCancelled(body) => self.cancelled(body.event_id, output),
            TransientBody::ModelRetry(retry) => self.retry(retry, output),
            TransientBody::RunnerLog(log) if log.stream == RunnerLogStream::Notice => {
                self.note(log.text.trim_end(), output)
            }
            _ => Ok(()),
        }
    }

    /// Shows a retry, unless a snapshot repeats it.
    fn retry(&mut self, retry: &ModelRetry, output: &mut Output) -> io::Result<()> {
        if self.retry.as_ref() == Some(retry) {
            return Ok(());
        }
        self.retry = Some(retry.clone());
        self.note(&waits::retry(retry), output)
    }

    fn delta(
        &mut self,
        id: EventId,
        index: u32,
        style: DisplayStyle,
        text: &str,
        output: &mut Output,
    ) -> io::Result<()> {
        let shown = self.block(id, index, style);
        let begins = shown.text.is_empty();
        shown.text.push_str(text);
        if begins {
            self.screen.end_line(output)?;
        }
        self.screen.stream(style, text, output)
    }

    fn block(&mut self, id: EventId, index: u32, style: DisplayStyle) -> &mut ShownBlock {
        let is_it = |block: &ShownBlock| (block.message, block.index) == (id, index);
        let place = self.open.iter().position(is_it);
        let place = place.unwrap_or_else(|| {
            self.open.push(ShownBlock {
                message: id,
                index,
                style,
                text: String::new(),
            });
            self.open.len() - 1
        });
        &mut self.open[place]
    }

    /// Removes the blocks of an open message, and returns them.
    fn close(&mut self, id: EventId) -> VecDeque<ShownBlock> {
        let is_of = |block: &mut ShownBlock| block.message == id;
        self.open.extract_if(.., is_of).collect()
    }

    fn cancelled(&mut self, id: EventId, output: &mut Output) -> io::Result<()> {
        match self.close(id).is_empty() {
            true => Ok(()),
            false => self.note("the answer above was discarded", output),
        }
    }

    fn record(&mut self, event: &PersistentEvent, output: &mut Output) -> io::Result<()> {
        let mut shown = self.close(event.id);
        shown.retain(|block| !block.text.is_empty());
        if let PersistentBody::TurnWaiting(body) = &event.body {
            return self.note(&waits::waiting(body), output);
        }
        for part in event.body.convert_to_display() {
            if part.text.is_empty() || (part.style == DisplayStyle::User && !self.with_users) {
                continue;
            }
            self.rest(&part, &mut shown, output)?;
        }
        Ok(())
    }

    /// Shows what the deltas did not show of a part. Streamed blocks have the order of the parts.
    fn rest(
        &mut self,
        part: &DisplayPart,
        shown: &mut VecDeque<ShownBlock>,
        output: &mut Output,
    ) -> io::Result<()> {
        let matches = shown.front().is_some_and(|block| block.style == part.style);
        let before = if matches { shown.pop_front() } else { None };
        match before.and_then(|block| part.text.strip_prefix(&block.text).map(str::to_owned)) {
            Some(rest) => {
                self.screen.stream(part.style, &rest, output)?;
                if shown.is_empty() {
                    self.screen.end_line(output)?;
                }
                Ok(())
            }
            None => self.screen.part(part, output),
        }
    }
}

#[cfg(test)]
#[path = "transcript/tests.rs"]
mod tests;
