//! Parts of a message while they are written.

use scorel_engine::RunnerEvent;
use serde_json::Value;

use super::super::json::{owned, text};
use crate::exchange::Exchange;

/// Claude Code writes a part twice: as deltas, and complete before its end. The second copy of streamed
/// text is dropped.
#[derive(Debug, Default)]
pub(super) struct StreamedParts {
    has_text: bool,
    has_thinking: bool,
}

impl StreamedParts {
    pub(super) fn event(&mut self, event: &Value, out: &mut Exchange) {
        match text(event, "type") {
            "message_start" => out.event(RunnerEvent::Model {
                name: owned(&event["message"], "model"),
            }),
            "content_block_delta" => self.delta(&event["delta"], out),
            "content_block_stop" => out.event(RunnerEvent::PartEnd),
            _ => out.event(RunnerEvent::Progress),
        }
    }

    fn delta(&mut self, delta: &Value, out: &mut Exchange) {
        match text(delta, "type") {
            "text_delta" => {
                self.has_text = true;
                let delta = owned(delta, "text");
                out.event(RunnerEvent::Text { delta });
            }
            "thinking_delta" => {
                self.has_thinking = true;
                let delta = owned(delta, "thinking");
                out.event(RunnerEvent::Thinking { delta });
            }
            _ => out.event(RunnerEvent::Progress),
        }
    }

    /// A whole text.
    pub(super) fn text(&mut self, text: &str, out: &mut Exchange) {
        if !std::mem::take(&mut self.has_text) {
            let delta = text.to_owned();
            out.event(RunnerEvent::Text { delta });
            out.event(RunnerEvent::PartEnd);
        }
    }

    /// A whole reasoning.
    pub(super) fn thinking(&mut self, text: &str, out: &mut Exchange) {
        if !std::mem::take(&mut self.has_thinking) {
            let delta = text.to_owned();
            out.event(RunnerEvent::Thinking { delta });
            out.event(RunnerEvent::PartEnd);
        }
    }
}
