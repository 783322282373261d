use scorel_engine::{ProviderError, ProviderEvent};
use scorel_proto::StopReason;
use serde_json::Value;

use super::output::ResponseOutput;
use super::usage;
use crate::http::ErrorBody;
use crate::wire::{DecodedReply, ReplyStatus, WireDecoder, stream_failure, text_of};

/// Decodes the events of a response: its output items, then one terminal event.
#[derive(Debug, Default)]
pub(crate) struct ResponsesDecoder {
    output: ResponseOutput,
    /// Metadata of blocks, held back until there is content to show. A reply of which only hidden
    /// reasoning has arrived can then be retried without the user having seen any of it.
    held: Vec<ProviderEvent>,
}

impl ResponsesDecoder {
    /// Takes the response object of the terminal event. `outcome` is the event's name for it.
    fn end(
        &mut self,
        outcome: &str,
        response: &Value,
        status: &mut ReplyStatus,
        out: &mut DecodedReply,
    ) -> Result<(), ProviderError> {
        let incomplete = outcome == "incomplete" || response["status"] == "incomplete";
        if !incomplete && outcome != "completed" || !response["error"].is_null() {
            let body = ErrorBody::from_value(&response["error"]);
            return Err(stream_failure(&body, status.usage));
        }
        self.output.complete(response, out)?;
        status.refused = self.output.refused;
        status.stop = Some(if incomplete {
            incomplete_stop(text_of(&response["incomplete_details"]["reason"]))
        } else {
            StopReason::EndTurn
        });
        status.done = true;
        Ok(())
    }

    /// Emits everything up to the last event with content, and holds the rest back.
    fn release(&mut self, mut events: Vec<ProviderEvent>, out: &mut DecodedReply) {
        let shows = |event: &ProviderEvent| {
            !matches!(
                event,
                ProviderEvent::ThinkingMeta { .. } | ProviderEvent::TextMeta { .. }
            )
        };
        if let Some(last) = events.iter().rposition(shows) {
            out.events.append(&mut self.held);
            out.events.extend(events.drain(..=last));
        }
        for event in &events {
            out.tally.keep_metadata(event);
        }
        self.held.append(&mut events);
    }
}

impl WireDecoder for ResponsesDecoder {
    const EVENT_FIELD: &'static str = "type";

    fn observe(&mut self, payload: &Value, status: &mut ReplyStatus) {
        let response = payload.get("response").unwrap_or(payload);
        status.usage = usage::of_response(response).or(status.usage);
        status.name_model(&response["model"]);
    }

    fn decode(
        &mut self,
        payload: &Value,
        status: &mut ReplyStatus,
        out: &mut DecodedReply,
    ) -> Result<(), ProviderError> {
        // `type` repeats the SSE event's name, which some hosts leave out.
        let kind = text_of(&payload["type"]).strip_prefix("response.");
        let decoded = match kind.unwrap_or_default() {
            outcome @ ("completed" | "incomplete" | "failed" | "cancelled") => {
                self.end(outcome, &payload["response"], status, out)
            }
            // Hosts that do not stream send the response object itself.
            "" if payload["output"].is_array() => {
                let outcome = payload["status"].as_str().unwrap_or("completed");
                self.end(outcome, payload, status, out)
            }
            "created" | "queued" | "in_progress" => Ok(()),
            kind => self.output.event(kind, payload, out),
        };
        let events = std::mem::take(&mut out.events);
        decoded?;
        self.release(events, out);
        Ok(())
    }

    fn finish(&mut self, _reported: StopReason, out: &mut DecodedReply) -> Option<Value> {
        out.events.append(&mut self.held);
        None
    }
}

/// Parses the `incomplete_details.reason` of a response.
fn incomplete_stop(reason: &str) -> StopReason {
    match reason {
        "content_filter" => StopReason::ContentFilter,
        "max_output_tokens" | "max_tokens" | "length" => StopReason::MaxTokens,
        other => {
            // The reply was cut off, so its calls must not run, as after a token limit.
            tracing::warn!(reason = other, "response incomplete for an unknown reason");
            StopReason::MaxTokens
        }
    }
}
