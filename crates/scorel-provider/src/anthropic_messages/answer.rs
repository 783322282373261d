use scorel_proto::{StopReason, Usage};
use scorel_runtime::{ProviderError, ProviderEvent};
use serde_json::Value;

use super::blocks::Blocks;
use super::stop;
use super::usage::Counts;
use crate::http::ErrorBody;
use crate::sse::Event;
use crate::wire::{self, ModelOrigin, stream_failure, truncated};

/// One answer while it streams.
#[derive(Debug)]
pub(crate) struct Answer {
    started: bool,
    /// The model that answers, as the endpoint names it.
    model: Option<String>,
    blocks: Blocks,
    counts: Counts,
    finish: Option<StopReason>,
    /// Whether the endpoint said that nothing follows.
    done: bool,
}

impl Answer {
    pub(super) fn new(origin: ModelOrigin) -> Self {
        Self {
            started: false,
            model: None,
            blocks: Blocks::new(origin),
            counts: Counts::default(),
            finish: None,
            done: false,
        }
    }

    fn payload(
        &mut self,
        payload: &Value,
        is_error: bool,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        if is_error || payload.get("error").is_some_and(|error| !error.is_null()) {
            return Err(self.failure(&ErrorBody::from_value(payload)));
        }
        let mut events = Vec::new();
        match payload["type"].as_str().unwrap_or_default() {
            "message_start" => self.message(&payload["message"], &mut events),
            "content_block_start" => self.blocks.start(&payload["content_block"], &mut events),
            "content_block_delta" => self.blocks.delta(&payload["delta"], &mut events),
            "content_block_stop" => self.blocks.stop(&mut events),
            "message_delta" => self.change(&payload["delta"], &payload["usage"]),
            "message_stop" => self.finish_now(),
            // A host that does not stream sends the whole message.
            "message" => {
                self.message(payload, &mut events);
                self.finish_now();
            }
            _ => {}
        }
        self.emit(events, out);
        Ok(())
    }

    fn message(&mut self, message: &Value, out: &mut Vec<ProviderEvent>) {
        let model = message["model"].as_str().filter(|model| !model.is_empty());
        self.model = model.map(str::to_owned);
        for block in message["content"].as_array().into_iter().flatten() {
            self.blocks.start(block, out);
        }
        self.change(message, &message["usage"]);
    }

    fn change(&mut self, delta: &Value, usage: &Value) {
        self.counts.update(usage);
        let reason = delta["stop_reason"].as_str().filter(|it| !it.is_empty());
        self.finish = reason.map(stop::parse).or(self.finish);
    }

    fn finish_now(&mut self) {
        self.finish.get_or_insert(StopReason::EndTurn);
        self.done = true;
    }

    /// Passes events on, the start before the first of them: a call that fails before has shown
    /// nothing.
    fn emit(&mut self, events: Vec<ProviderEvent>, out: &mut Vec<ProviderEvent>) {
        if !events.is_empty() && !self.started {
            self.started = true;
            out.push(ProviderEvent::Start {
                model: self.model.clone(),
            });
        }
        out.extend(events);
    }

    fn failure(&self, body: &ErrorBody) -> ProviderError {
        stream_failure(body, self.counts.usage())
    }
}

impl wire::Answer for Answer {
    fn event(&mut self, event: &Event, out: &mut Vec<ProviderEvent>) -> Result<(), ProviderError> {
        let data = event.data.trim();
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        match serde_json::from_str::<Value>(data) {
            Ok(payload) => self.payload(&payload, event.is_error(), out),
            Err(_) if event.is_error() => Err(self.failure(&ErrorBody::parse(data.as_bytes()))),
            // The connection ended inside the event, or nothing of it matters any more.
            Err(_) if data.is_empty() || event.is_open_end() || wire::Answer::is_finished(self) => {
                Ok(())
            }
            Err(error) => Err(self.failure(&ErrorBody {
                message: format!("an event is not valid JSON: {error}"),
                ..ErrorBody::default()
            })),
        }
    }

    fn end(mut self, out: &mut Vec<ProviderEvent>) -> Result<(), ProviderError> {
        let Some(reported) = self.finish else {
            return Err(truncated(self.started, self.counts.usage()));
        };
        let mut due = Vec::new();
        self.blocks.stop(&mut due);
        due.push(ProviderEvent::Done {
            stop_reason: stop::settle(reported, self.blocks.has_calls()),
            usage: self.counts.usage(),
            provider: self.blocks.take_kept(),
        });
        self.emit(due, out);
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn usage(&self) -> Option<Usage> {
        self.counts.usage()
    }
}
