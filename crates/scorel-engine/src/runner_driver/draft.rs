use scorel_proto::{AssistantMessage, Block, MessageCancelReason, Meta, StopReason};
use serde_json::Value;

use crate::{EngineEvent, ToolCall};

/// The message that a runner writes. It ends where a call begins.
pub(super) struct MessageDraft {
    model: String,
    parts: Vec<Block>,
    /// True if the last part takes more.
    is_part_open: bool,
    is_started: bool,
    bytes: usize,
    max_bytes: usize,
}

impl MessageDraft {
    /// `model` names the author until the runner says which model it uses.
    pub(super) fn new(model: &str, max_bytes: usize) -> Self {
        Self {
            model: model.to_owned(),
            parts: Vec::new(),
            is_part_open: false,
            is_started: false,
            bytes: 0,
            max_bytes,
        }
    }

    pub(super) fn set_model(&mut self, model: &str) {
        if !model.is_empty() {
            model.clone_into(&mut self.model);
        }
    }

    pub(super) fn model(&self) -> &str {
        &self.model
    }

    pub(super) fn end_part(&mut self) {
        self.is_part_open = false;
    }

    /// What to show of more text.
    ///
    /// # Errors
    /// The message is too long.
    pub(super) fn text(&mut self, delta: String) -> Result<Vec<EngineEvent>, ()> {
        if delta.is_empty() {
            return Ok(Vec::new());
        }
        let mut shown = self.begin(&delta)?;
        match self.parts.last_mut().filter(|_| self.is_part_open) {
            Some(Block::Text { text, .. }) => text.push_str(&delta),
            _ => self.parts.push(Block::text(delta.clone())),
        }
        let block = self.opened();
        shown.push(EngineEvent::TextDelta { block, delta });
        Ok(shown)
    }

    /// What to show of more reasoning.
    ///
    /// # Errors
    /// The message is too long.
    pub(super) fn thinking(&mut self, delta: String) -> Result<Vec<EngineEvent>, ()> {
        if delta.is_empty() {
            return Ok(Vec::new());
        }
        let mut shown = self.begin(&delta)?;
        match self.parts.last_mut().filter(|_| self.is_part_open) {
            Some(Block::Thinking { text, .. }) => text.push_str(&delta),
            _ => self.parts.push(Block::Thinking {
                text: delta.clone(),
                signature: None,
                redacted: false,
                provider: None,
            }),
        }
        let block = self.opened();
        shown.push(EngineEvent::ThinkingDelta { block, delta });
        Ok(shown)
    }

    /// Ends the message with a call.
    pub(super) fn end_with_call(&mut self, call: &ToolCall) -> Vec<EngineEvent> {
        let mut shown = self.start();
        let input = if call.input.is_object() {
            call.input.clone()
        } else {
            Value::Object(serde_json::Map::new())
        };
        self.parts.push(Block::ToolUse {
            id: call.id.clone(),
            name: call.name.clone(),
            input,
            invalid_input: call.invalid_input.clone(),
            provider: None,
        });
        shown.push(self.message(StopReason::ToolUse, false));
        shown
    }

    /// Ends the last message. Without text it leaves none, unless the turn completed.
    pub(super) fn end(
        &mut self,
        stop: StopReason,
        cancel: MessageCancelReason,
    ) -> Vec<EngineEvent> {
        let is_whole = matches!(stop, StopReason::EndTurn | StopReason::MaxTokens);
        let has_text = self
            .parts
            .iter()
            .any(|part| matches!(part, Block::Text { .. }));
        if !self.is_started {
            Vec::new()
        } else if has_text || is_whole {
            vec![self.message(stop, !is_whole)]
        } else {
            self.reset();
            vec![EngineEvent::MessageCancelled { reason: cancel }]
        }
    }

    fn begin(&mut self, delta: &str) -> Result<Vec<EngineEvent>, ()> {
        self.bytes += delta.len();
        if self.bytes > self.max_bytes {
            return Err(());
        }
        Ok(self.start())
    }

    fn start(&mut self) -> Vec<EngineEvent> {
        if std::mem::replace(&mut self.is_started, true) {
            return Vec::new();
        }
        let model = self.model.clone();
        vec![EngineEvent::MessageStart { model }]
    }

    /// The index of the last part, which takes more from now on.
    fn opened(&mut self) -> u32 {
        self.is_part_open = true;
        u32::try_from(self.parts.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    fn message(&mut self, stop_reason: StopReason, partial: bool) -> EngineEvent {
        let content = std::mem::take(&mut self.parts);
        self.reset();
        EngineEvent::MessageEnd {
            message: AssistantMessage {
                content,
                model: self.model.clone(),
                stop_reason,
                usage: None,
                cost: None,
                partial,
                meta: Meta::default(),
            },
        }
    }

    fn reset(&mut self) {
        self.parts.clear();
        self.is_part_open = false;
        self.is_started = false;
        self.bytes = 0;
    }
}
