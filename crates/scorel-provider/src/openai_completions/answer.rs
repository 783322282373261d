use scorel_proto::{StopReason, Usage};
use scorel_runtime::{ErrorCategory, ProviderError, ProviderEvent};
use serde_json::Value;

use super::reasoning::{Details, Field};
use super::stop::{Finish, settle};
use super::think_tags::{Piece, ThinkTags};
use super::tool_calls::ToolCalls;
use super::usage;
use crate::http::ErrorBody;
use crate::sse::Event;
use crate::wire::{self, ModelOrigin, stream_failure, truncated};

/// One answer of chat completions while it streams.
#[derive(Debug)]
pub(crate) struct Answer {
    origin: ModelOrigin,
    started: bool,
    /// The model that answers, as the endpoint names it.
    model: Option<String>,
    /// How many blocks have begun.
    blocks: usize,
    open: Option<OpenBlock>,
    /// The blocks of reasoning, and where each came.
    thinking: Vec<(usize, Field)>,
    details: Details,
    tags: ThinkTags,
    calls: ToolCalls,
    refused: bool,
    usage: Option<Usage>,
    finish: Option<StopReason>,
    /// Whether the endpoint said that nothing follows.
    done: bool,
}

/// The block that text is added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OpenBlock {
    kind: Kind,
    block: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Refusal,
    Thinking,
}

impl Answer {
    pub(super) fn new(origin: ModelOrigin) -> Self {
        Self {
            origin,
            started: false,
            model: None,
            blocks: 0,
            open: None,
            thinking: Vec::new(),
            details: Details::default(),
            tags: ThinkTags::default(),
            calls: ToolCalls::default(),
            refused: false,
            usage: None,
            finish: None,
            done: false,
        }
    }

    fn chunk(
        &mut self,
        chunk: &Value,
        is_error: bool,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        self.usage = usage::of_chunk(chunk).or(self.usage);
        if self.model.is_none() {
            let model = chunk["model"].as_str().filter(|model| !model.is_empty());
            self.model = model.map(str::to_owned);
        }
        let choice = first_choice(chunk);
        let finish = choice.and_then(|choice| choice["finish_reason"].as_str());
        let finish = finish
            .filter(|reason| !reason.is_empty())
            .map(Finish::parse);
        if let Some(Finish::Stop(reason)) = finish {
            self.finish = Some(reason);
        }
        if is_error || is_failure(chunk) {
            return Err(self.failure(&ErrorBody::from_value(chunk)));
        }
        if let Some(choice) = choice {
            // A server that does not stream sends the whole message in one piece.
            let delta = choice.get("delta").unwrap_or(&choice["message"]);
            let mut events = Vec::new();
            self.delta(delta, &mut events);
            self.emit(events, out);
        }
        match finish {
            Some(Finish::Failure(category)) => Err(ProviderError {
                category,
                retryable: category == ErrorCategory::ServerError,
                ..self.failure(&ErrorBody {
                    message: "the endpoint stopped with an error".to_owned(),
                    ..ErrorBody::default()
                })
            }),
            _ => Ok(()),
        }
    }

    fn delta(&mut self, delta: &Value, out: &mut Vec<ProviderEvent>) {
        self.details.add(delta);
        if let Some((field, text)) = Field::read(delta) {
            self.flush_tags(out);
            self.thinking(field, text, out);
        }
        match &delta["content"] {
            Value::String(text) if !text.is_empty() => {
                for piece in self.tags.push(text) {
                    self.piece(piece, out);
                }
            }
            Value::Array(parts) => parts.iter().for_each(|part| self.part(part, out)),
            _ => {}
        }
        if let Some(refusal) = delta["refusal"].as_str() {
            self.refused |= !refusal.is_empty();
            self.text(Kind::Refusal, refusal, out);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.flush_tags(out);
            self.open = None;
            let blocks = &mut self.blocks;
            let next_block = || {
                *blocks += 1;
                *blocks - 1
            };
            self.calls.delta(call, next_block, out);
        }
    }

    fn piece(&mut self, piece: Piece, out: &mut Vec<ProviderEvent>) {
        match piece {
            Piece::Thinking(text) => self.thinking(Field::ThinkTag, text, out),
            Piece::Text(text) => self.text(Kind::Text, &text, out),
        }
    }

    /// Something else than text comes, or the end.
    fn flush_tags(&mut self, out: &mut Vec<ProviderEvent>) {
        if let Some(piece) = self.tags.flush() {
            self.piece(piece, out);
        }
    }

    /// One element of a content that is an array.
    fn part(&mut self, part: &Value, out: &mut Vec<ProviderEvent>) {
        match &part["thinking"] {
            Value::String(text) => self.thinking(Field::ContentPart, text.clone(), out),
            Value::Array(parts) => {
                let texts = parts.iter().filter_map(|part| part["text"].as_str());
                self.thinking(Field::ContentPart, texts.collect(), out);
            }
            _ => self.text(Kind::Text, part["text"].as_str().unwrap_or_default(), out),
        }
    }

    fn text(&mut self, kind: Kind, text: &str, out: &mut Vec<ProviderEvent>) {
        if !text.is_empty() {
            let block = self.block(kind);
            let delta = text.to_owned();
            out.push(ProviderEvent::Text { block, delta });
        }
    }

    fn thinking(&mut self, field: Field, delta: String, out: &mut Vec<ProviderEvent>) {
        if delta.is_empty() {
            return;
        }
        let block = self.block(Kind::Thinking);
        if self.thinking.last().is_none_or(|(last, _)| *last != block) {
            self.thinking.push((block, field));
        }
        out.push(ProviderEvent::Thinking { block, delta });
    }

    /// The open block if it is of that kind, else a new one.
    fn block(&mut self, kind: Kind) -> usize {
        match self.open {
            Some(open) if open.kind == kind => open.block,
            _ => {
                let block = self.blocks;
                self.blocks += 1;
                self.open = Some(OpenBlock { kind, block });
                block
            }
        }
    }

    /// Passes events on, the start before the first of them: only then is the model known, as some
    /// hosts leave it out of their first chunk.
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
        let failure = stream_failure(body, self.usage);
        if self.finish == Some(StopReason::MaxTokens) {
            return ProviderError {
                category: ErrorCategory::Length,
                retryable: false,
                ..failure
            };
        }
        failure
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
            Ok(chunk) => self.chunk(&chunk, event.is_error(), out),
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
        if !self.is_finished() {
            return Err(truncated(self.started, self.usage));
        }
        let mut due = Vec::new();
        self.flush_tags(&mut due);
        self.calls.finish(&mut due);
        for (block, field) in std::mem::take(&mut self.thinking) {
            due.push(ProviderEvent::ThinkingMeta {
                block,
                signature: None,
                redacted: false,
                provider: Some(self.origin.tag("field", field.name().into())),
            });
        }
        let reported = self.finish.unwrap_or(StopReason::EndTurn);
        let details = self.details.take();
        due.push(ProviderEvent::Done {
            stop_reason: settle(reported, !self.calls.is_empty(), self.refused),
            usage: self.usage,
            provider: details.map(|details| self.origin.tag("reasoningDetails", details)),
        });
        self.emit(due, out);
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.finish.is_some() || self.done
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }
}

/// The choice with index 0; only one is asked for.
fn first_choice(chunk: &Value) -> Option<&Value> {
    let mut choices = chunk["choices"].as_array()?.iter();
    choices.find(|choice| choice["index"].as_u64().unwrap_or(0) == 0)
}

/// Whether a chunk reports a failure: it names one, or it is no chunk but words.
fn is_failure(chunk: &Value) -> bool {
    let named = chunk.get("error").is_some_and(|error| !error.is_null());
    let words = chunk.get("choices").is_none()
        && ["message", "detail"]
            .iter()
            .any(|field| chunk[field].is_string());
    named || words
}
