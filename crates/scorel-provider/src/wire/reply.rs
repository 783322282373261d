use scorel_engine::{ProviderError, ProviderEvent};
use scorel_proto::{StopReason, Usage};
use serde_json::Value;

use super::ModelOrigin;
use super::charged::charged;
use super::decoded_reply::DecodedReply;
use super::decoder::{ReplyStatus, WireDecoder};
use super::failure::{stream_failure, truncated};
use super::finish::settle;
use super::surrogates::SplitSurrogates;
use crate::http::ErrorBody;
use crate::sse::SseEvent;

/// One reply while it streams: the rules that all wires share, around the decoder of one.
#[derive(Debug)]
pub(super) struct StreamedReply<D> {
    decoder: D,
    decoded: DecodedReply,
    surrogates: SplitSurrogates,
    pub(super) status: ReplyStatus,
    started: bool,
    has_calls: bool,
}

impl<D: WireDecoder> StreamedReply<D> {
    pub(super) fn new(origin: ModelOrigin) -> Self {
        Self {
            decoder: D::default(),
            decoded: DecodedReply::new(origin),
            surrogates: SplitSurrogates::default(),
            status: ReplyStatus::default(),
            started: false,
            has_calls: false,
        }
    }

    pub(super) const fn is_complete(&self) -> bool {
        self.status.stop.is_some()
    }

    const fn is_final(&self) -> bool {
        self.is_complete() && D::STOP_IS_FINAL
    }

    /// Takes one event of the response. An error ends the reply.
    pub(super) fn event(
        &mut self,
        event: &SseEvent,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        let data = event.data.trim();
        // Ends chat completions. OpenRouter also sends it on the Messages and Responses APIs.
        if data == "[DONE]" {
            self.done();
            return Ok(());
        }
        match self.surrogates.parse(data) {
            // Gemini endpoints that ignore `alt=sse` send one array of responses.
            Ok(Value::Array(payloads)) => payloads
                .iter()
                .try_for_each(|payload| self.payload(payload, event.is_error(), out)),
            Ok(payload) => self.payload(&payload, event.is_error(), out),
            Err(_) if event.is_error() => Err(self.failure(&ErrorBody::parse(data.as_bytes()))),
            // Cut off by the end of the body, or after the end of the reply: nothing is lost.
            Err(_) if data.is_empty() || event.is_open_end() || self.is_final() => Ok(()),
            Err(error) => {
                let message = format!("an event of the stream is not valid JSON: {error}");
                Err(self.failure(&ErrorBody::with_message(message)))
            }
        }
    }

    /// Ends the reply: emits the pending events and `Done`, or fails if the provider never said that
    /// the reply is complete.
    pub(super) fn end(mut self, out: &mut Vec<ProviderEvent>) -> Result<(), ProviderError> {
        let Some(reported) = self.status.stop else {
            return Err(truncated(self.started, self.status.usage));
        };
        let provider = self.decoder.finish(reported, &mut self.decoded);
        self.emit(out);
        self.decoded.events.push(ProviderEvent::Done {
            stop_reason: settle(reported, self.has_calls, self.status.refused),
            usage: self.status.usage,
            charged: self.status.charged,
            provider,
        });
        self.emit(out);
        Ok(())
    }

    fn done(&mut self) {
        self.status.done = true;
        if D::DONE_COMPLETES {
            self.status.stop.get_or_insert(StopReason::EndTurn);
        }
    }

    fn payload(
        &mut self,
        payload: &Value,
        is_error: bool,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        self.decoder.observe(payload, &mut self.status);
        self.status.usage = self.status.usage.filter(Usage::is_plausible);
        self.status.charged = charged(payload).or(self.status.charged);
        if is_error || reports_failure::<D>(payload) {
            return Err(self.failure(&ErrorBody::from_value(payload)));
        }
        let reply = &mut self.decoded;
        let decoded = self.decoder.decode(payload, &mut self.status, reply);
        self.emit(out);
        decoded
            .and_then(|()| self.decoded.tally.check())
            .map_err(|error| ProviderError {
                usage: self.status.usage,
                ..error
            })
    }

    /// Passes events on, with `Start` before the first. Not before: a call that fails without an
    /// event has shown nothing, so the engine may retry it; and some hosts leave the model's name
    /// out of their first chunk.
    fn emit(&mut self, out: &mut Vec<ProviderEvent>) {
        let events = std::mem::take(&mut self.decoded.events);
        if !events.is_empty() && !self.started {
            self.started = true;
            out.push(ProviderEvent::Start {
                model: self.status.model.clone(),
            });
        }
        let is_call = |event: &ProviderEvent| matches!(event, ProviderEvent::ToolCallStart { .. });
        self.has_calls |= events.iter().any(is_call);
        for event in &events {
            self.decoded.tally.keep_metadata(event);
        }
        out.extend(events);
    }

    fn failure(&self, body: &ErrorBody) -> ProviderError {
        let error = stream_failure(body, self.status.usage);
        self.decoder.refine(&self.status, error)
    }
}

fn reports_failure<D: WireDecoder>(payload: &Value) -> bool {
    let has_error = payload.get("error").is_some_and(|error| !error.is_null());
    let is_error_body = payload.get(D::EVENT_FIELD).is_none()
        && ["message", "detail"]
            .iter()
            .any(|field| payload[field].is_string());
    payload["type"] == "error" || has_error || is_error_body
}
