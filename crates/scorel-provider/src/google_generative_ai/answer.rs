use scorel_proto::{StopReason, Usage};
use scorel_runtime::{ErrorCategory, ProviderError, ProviderEvent};
use serde_json::Value;

use super::finish::Finish;
use super::parts::Parts;
use super::usage;
use crate::http::ErrorBody;
use crate::sse::Event;
use crate::wire::{self, ModelOrigin, stream_failure, truncated};

/// One answer while it streams: every event is a response of its own with more parts.
#[derive(Debug)]
pub(crate) struct Answer {
    parts: Parts,
    started: bool,
    /// The model that answers, as the endpoint names it.
    model: Option<String>,
    usage: Option<Usage>,
    finish: Option<StopReason>,
}

impl Answer {
    pub(super) const fn new(origin: ModelOrigin) -> Self {
        Self {
            parts: Parts::new(origin),
            started: false,
            model: None,
            usage: None,
            finish: None,
        }
    }

    fn response(
        &mut self,
        response: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        self.usage = usage::of_event(response).or(self.usage);
        if self.model.is_none() {
            let model = response["modelVersion"].as_str();
            self.model = model.filter(|model| !model.is_empty()).map(str::to_owned);
        }
        if is_failure(response) {
            return Err(stream_failure(&ErrorBody::from_value(response), self.usage));
        }
        match first_candidate(response) {
            Some(candidate) => self.candidate(candidate, out),
            None => {
                self.feedback(&response["promptFeedback"]);
                Ok(())
            }
        }
    }

    fn candidate(
        &mut self,
        candidate: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        let parts = candidate["content"]["parts"].as_array();
        let mut events = Vec::new();
        let taken = parts
            .into_iter()
            .flatten()
            .try_for_each(|part| self.parts.add(part, &mut events));
        self.emit(events, out);
        taken.map_err(|_| {
            let message = "pieces of a tool call's arguments contradict each other";
            self.failed(ErrorCategory::BadModelOutput, message)
        })?;
        let reason = candidate["finishReason"].as_str();
        let Some(reason) = reason.filter(|reason| !reason.is_empty()) else {
            return Ok(());
        };
        let words = candidate["finishMessage"].as_str().unwrap_or_default();
        match Finish::parse(reason) {
            Finish::Stop(stop) => {
                if stop == StopReason::ContentFilter {
                    tracing::warn!(reason, words, "the endpoint withheld an answer");
                }
                self.finish = Some(stop);
                Ok(())
            }
            Finish::Failure(category) => {
                let message = format!("the endpoint gave up with {reason}: {words}");
                Err(self.failed(category, message.trim_end_matches([':', ' '])))
            }
        }
    }

    /// What the endpoint says of a question that it does not answer.
    fn feedback(&mut self, feedback: &Value) {
        if let Some(reason) = feedback["blockReason"].as_str() {
            let words = feedback["blockReasonMessage"].as_str().unwrap_or_default();
            tracing::warn!(reason, words, "the endpoint does not answer this question");
            self.finish = Some(StopReason::ContentFilter);
        }
    }

    /// Passes events on, the start before the first of them.
    fn emit(&mut self, events: Vec<ProviderEvent>, out: &mut Vec<ProviderEvent>) {
        if !events.is_empty() && !self.started {
            self.started = true;
            out.push(ProviderEvent::Start {
                model: self.model.clone(),
            });
        }
        out.extend(events);
    }

    fn failed(&self, category: ErrorCategory, message: &str) -> ProviderError {
        ProviderError {
            category,
            retryable: category == ErrorCategory::BadModelOutput,
            retry_after: None,
            status: None,
            message: message.to_owned(),
            usage: self.usage,
        }
    }

    /// The reason to report, given what the answer holds: the endpoint says `STOP` after calls.
    fn stop_reason(&self, reported: StopReason) -> StopReason {
        match reported {
            StopReason::EndTurn if self.parts.has_calls() => StopReason::ToolUse,
            other => other,
        }
    }
}

impl wire::Answer for Answer {
    fn event(&mut self, event: &Event, out: &mut Vec<ProviderEvent>) -> Result<(), ProviderError> {
        let data = event.data.trim();
        match serde_json::from_str::<Value>(data) {
            // A server that knows no event streams sends one list.
            Ok(Value::Array(responses)) => responses
                .iter()
                .try_for_each(|response| self.response(response, out)),
            Ok(response) => self.response(&response, out),
            Err(_) if data.is_empty() || data == "[DONE]" || event.is_open_end() => Ok(()),
            Err(error) => {
                let body = ErrorBody {
                    message: format!("an event is not valid JSON: {error}"),
                    ..ErrorBody::default()
                };
                Err(stream_failure(&body, self.usage))
            }
        }
    }

    fn end(mut self, out: &mut Vec<ProviderEvent>) -> Result<(), ProviderError> {
        let Some(reported) = self.finish else {
            return Err(truncated(self.started, self.usage));
        };
        let mut due = Vec::new();
        // Not after another reason: what the call lacks would be missing silently.
        if reported == StopReason::EndTurn {
            self.parts.finish(&mut due);
        }
        due.push(ProviderEvent::Done {
            stop_reason: self.stop_reason(reported),
            usage: self.usage,
            provider: None,
        });
        self.emit(due, out);
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    fn is_done(&self) -> bool {
        // There is no such mark, and an error may follow the reason to stop.
        false
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }
}

/// The candidate with index 0; only one is asked for.
fn first_candidate(response: &Value) -> Option<&Value> {
    let mut candidates = response["candidates"].as_array()?.iter();
    candidates.find(|candidate| candidate["index"].as_u64().unwrap_or(0) == 0)
}

/// Whether an event reports a failure: it names one, or it is no response but words.
fn is_failure(response: &Value) -> bool {
    let named = response.get("error").is_some_and(|error| !error.is_null());
    let words = response.get("candidates").is_none()
        && ["message", "detail"]
            .iter()
            .any(|field| response[field].is_string());
    named || words
}
