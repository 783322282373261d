use scorel_engine::{ErrorCategory, ProviderError, ProviderEvent};
use serde_json::Value;

use crate::http::provider_error;

/// The most that is kept of one reply besides the text that is passed on, in bytes of memory. Signatures have
/// kilobytes, and pages that a provider's own tools fetched megabytes.
const MAX_KEPT: usize = 16 << 20;

/// The most blocks, calls and items of one reply. Of its calls, 1,024 can be allowed to run.
const MAX_PARTS: usize = 4_096;

/// The memory of a value besides its text, with its place in a list or an object.
const VALUE: usize = 128;

/// Numbers the blocks of one reply, and counts all that is kept of it besides the text, the reasoning and the
/// arguments that are passed on, which the engine counts.
///
/// The engine assembles blocks by number, so a block must take its number when its first event is emitted,
/// not when the provider announces it.
#[derive(Debug, Default)]
pub(crate) struct ReplyTally {
    blocks: usize,
    parts: usize,
    bytes: usize,
}

impl ReplyTally {
    pub(crate) const fn take_next(&mut self) -> usize {
        self.parts += 1;
        self.blocks += 1;
        self.blocks - 1
    }

    /// The count of numbers that were taken.
    pub(crate) const fn taken(&self) -> usize {
        self.blocks
    }

    /// Counts something that has no number, or not yet.
    pub(crate) const fn add_part(&mut self) {
        self.parts += 1;
    }

    pub(crate) const fn keep_text(&mut self, text: &str) {
        self.bytes = self.bytes.saturating_add(text.len());
    }

    pub(crate) fn keep(&mut self, value: &Value) {
        self.bytes = self.bytes.saturating_add(memory(value));
    }

    /// Counts the metadata of an event.
    pub(crate) fn keep_metadata(&mut self, event: &ProviderEvent) {
        match event {
            ProviderEvent::TextMeta { provider, .. } => self.keep(provider),
            ProviderEvent::ThinkingMeta {
                signature,
                provider,
                ..
            } => {
                signature.iter().for_each(|text| self.keep_text(text));
                provider.iter().for_each(|value| self.keep(value));
            }
            ProviderEvent::ToolCallStart {
                id, name, provider, ..
            } => {
                self.keep_text(id);
                self.keep_text(name);
                provider.iter().for_each(|value| self.keep(value));
            }
            ProviderEvent::Start { .. }
            | ProviderEvent::Text { .. }
            | ProviderEvent::Thinking { .. }
            | ProviderEvent::ToolCallDelta { .. }
            | ProviderEvent::Done { .. } => {}
        }
    }

    /// Set if the reply fails, so that no more of the payload needs to be taken.
    pub(crate) const fn is_over(&self) -> bool {
        self.bytes > MAX_KEPT || self.parts > MAX_PARTS
    }

    /// Fails once the reply has become too large.
    pub(super) fn check(&self) -> Result<(), ProviderError> {
        if !self.is_over() {
            return Ok(());
        }
        let problem = if self.bytes > MAX_KEPT {
            "more than 16 MiB beside its text".to_owned()
        } else {
            format!("more than {MAX_PARTS} parts")
        };
        let message = format!("the provider sent a reply of {problem}");
        Err(provider_error(ErrorCategory::ServerError, false, message))
    }
}

/// About what a value takes.
fn memory(value: &Value) -> usize {
    let content = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(memory).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| name.len() + memory(field))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    VALUE + content
}
