use scorel_proto::{StopReason, Usage};
use scorel_runtime::{ProviderError, ProviderEvent};
use serde_json::Value;

use super::output::Output;
use super::{stop, usage};
use crate::http::ErrorBody;
use crate::sse::Event;
use crate::wire::{self, ModelOrigin, stream_failure, truncated};

/// One response while it streams.
#[derive(Debug)]
pub(crate) struct Answer {
    started: bool,
    /// The model that answers, as the endpoint names it.
    model: Option<String>,
    output: Output,
    /// Facts about blocks that wait for something to show: an answer of which only hidden reasoning
    /// came can be asked for again without anyone's seeing it.
    held: Vec<ProviderEvent>,
    usage: Option<Usage>,
    finish: Option<StopReason>,
    /// Whether the endpoint said that nothing follows.
    done: bool,
}

impl Answer {
    pub(super) const fn new(origin: ModelOrigin) -> Self {
        Self {
            started: false,
            model: None,
            output: Output::new(origin),
            held: Vec::new(),
            usage: None,
            finish: None,
            done: false,
        }
    }

    fn payload(
        &mut self,
        payload: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        let kind = payload["type"].as_str().unwrap_or_default();
        let phase = kind.strip_prefix("response.").unwrap_or_default();
        let mut events = Vec::new();
        match phase {
            "created" | "queued" | "in_progress" => self.note(&payload["response"]),
            "completed" | "incomplete" | "failed" | "cancelled" => {
                self.settle(phase, &payload["response"], &mut events)?;
            }
            // A server that does not stream sends the whole response in one piece.
            "" if payload["output"].is_array() => {
                let status = payload["status"].as_str().unwrap_or("completed");
                self.settle(status, payload, &mut events)?;
            }
            _ => self.output.event(phase, payload, &mut events)?,
        }
        self.emit(events, out);
        Ok(())
    }

    fn note(&mut self, response: &Value) {
        self.usage = usage::of_response(response).or(self.usage);
        if self.model.is_none() {
            let model = response["model"].as_str().filter(|model| !model.is_empty());
            self.model = model.map(str::to_owned);
        }
    }

    /// Takes the response as it is at its end. `status` is what the event says of it.
    fn settle(
        &mut self,
        status: &str,
        response: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        self.note(response);
        let incomplete = status == "incomplete" || response["status"] == "incomplete";
        if !incomplete && status != "completed" || !response["error"].is_null() {
            return Err(self.failure(&ErrorBody::from_value(&response["error"])));
        }
        self.output.complete(response, out)?;
        self.finish = Some(if incomplete {
            let reason = response["incomplete_details"]["reason"].as_str();
            stop::of_incomplete(reason.unwrap_or_default())
        } else {
            stop::of_complete(self.output.has_calls(), self.output.is_refusal())
        });
        Ok(())
    }

    /// Passes events on once there is something to show, the start before the first of them.
    fn emit(&mut self, events: Vec<ProviderEvent>, out: &mut Vec<ProviderEvent>) {
        for event in events {
            let silent = matches!(
                event,
                ProviderEvent::ThinkingMeta { .. } | ProviderEvent::TextMeta { .. }
            );
            self.held.push(event);
            if silent {
                continue;
            }
            if !self.started {
                self.started = true;
                out.push(ProviderEvent::Start {
                    model: self.model.clone(),
                });
            }
            out.append(&mut self.held);
        }
    }

    fn failure(&self, body: &ErrorBody) -> ProviderError {
        stream_failure(body, self.usage)
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
            Ok(payload) if event.is_error() || is_failure(&payload) => {
                Err(self.failure(&ErrorBody::from_value(&payload)))
            }
            Ok(payload) => self.payload(&payload, out),
            Err(_) if event.is_error() => Err(self.failure(&ErrorBody::parse(data.as_bytes()))),
            // The connection ended inside the event, or nothing of it matters any more.
            Err(_) if data.is_empty() || event.is_open_end() || self.finish.is_some() => Ok(()),
            Err(error) => Err(self.failure(&ErrorBody {
                message: format!("an event is not valid JSON: {error}"),
                ..ErrorBody::default()
            })),
        }
    }

    fn end(mut self, out: &mut Vec<ProviderEvent>) -> Result<(), ProviderError> {
        let Some(stop_reason) = self.finish else {
            return Err(truncated(self.started, self.usage));
        };
        let done = ProviderEvent::Done {
            stop_reason,
            usage: self.usage,
            provider: None,
        };
        self.emit(vec![done], out);
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    fn is_done(&self) -> bool {
        self.finish.is_some() || self.done
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }
}

/// Whether a payload reports a failure: it says so, it names one, or it is no event but words.
fn is_failure(payload: &Value) -> bool {
    let named = payload.get("error").is_some_and(|error| !error.is_null());
    let words = payload.get("type").is_none()
        && ["message", "detail"]
            .iter()
            .any(|field| payload[field].is_string());
    payload["type"] == "error" || named || words
}
