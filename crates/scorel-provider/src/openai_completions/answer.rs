use reqwest::header::HeaderMap;
use scorel_proto::{StopReason, Usage};
use scorel_runtime::{ErrorCategory, ProviderError, ProviderEvent};
use serde_json::Value;

use super::origin::ModelOrigin;
use super::reasoning::{Details, Field};
use super::stop::{Finish, settle};
use super::tool_calls::ToolCalls;
use super::usage;
use crate::http::{ErrorBody, Origin, classify, retry_after};
use crate::sse::Event;

/// One answer while it streams: takes the endpoint's events, gives the engine's.
#[derive(Debug)]
pub(super) struct Answer {
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
            calls: ToolCalls::default(),
            refused: false,
            usage: None,
            finish: None,
            done: false,
        }
    }

    /// Whether the endpoint said why it stopped; what follows can only be usage.
    pub(super) const fn is_finished(&self) -> bool {
        self.finish.is_some() || self.done
    }

    /// Whether the endpoint said that nothing follows.
    pub(super) const fn is_done(&self) -> bool {
        self.done
    }

    pub(super) const fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// Takes one event. An error ends the answer.
    pub(super) fn event(
        &mut self,
        event: &Event,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        let data = event.data.trim();
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        match serde_json::from_str::<Value>(data) {
            Ok(chunk) => self.chunk(&chunk, event.is_error(), out),
            Err(_) if event.is_error() => Err(self.failure(&ErrorBody::parse(data.as_bytes()))),
            // The connection ended inside the event, or nothing of it matters any more.
            Err(_) if data.is_empty() || event.is_open_end() || self.is_finished() => Ok(()),
            Err(error) => Err(self.failure(&ErrorBody {
                message: format!("an event is not valid JSON: {error}"),
                ..ErrorBody::default()
            })),
        }
    }

    /// Ends the answer: the events that are still due, or the error that it was cut off.
    pub(super) fn end(mut self, out: &mut Vec<ProviderEvent>) -> Result<(), ProviderError> {
        if !self.is_finished() {
            return Err(self.truncated());
        }
        let mut due = Vec::new();
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
            self.thinking(field, text, out);
        }
        match &delta["content"] {
            Value::String(text) => self.text(Kind::Text, text, out),
            Value::Array(parts) => parts.iter().for_each(|part| self.part(part, out)),
            _ => {}
        }
        if let Some(refusal) = delta["refusal"].as_str() {
            self.refused |= !refusal.is_empty();
            self.text(Kind::Refusal, refusal, out);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.open = None;
            let blocks = &mut self.blocks;
            let next_block = || {
                *blocks += 1;
                *blocks - 1
            };
            self.calls.delta(call, next_block, out);
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
        let (category, retryable) = if self.finish == Some(StopReason::MaxTokens) {
            (ErrorCategory::Length, false)
        } else {
            classify(Origin::Stream, body)
        };
        let message = if body.message.is_empty() {
            "without a reason"
        } else {
            &body.message
        };
        ProviderError {
            category,
            retryable,
            retry_after: retry_after(&HeaderMap::new(), body, std::time::SystemTime::now()),
            status: None,
            message: format!("the endpoint ended its answer with an error: {message}"),
            usage: self.usage,
        }
    }

    fn truncated(&self) -> ProviderError {
        let message = if self.started {
            "the endpoint closed the connection in the middle of its answer"
        } else {
            "the endpoint closed the connection without an answer"
        };
        ProviderError {
            category: ErrorCategory::StreamTruncated,
            retryable: true,
            retry_after: None,
            status: None,
            message: message.to_owned(),
            usage: self.usage,
        }
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
