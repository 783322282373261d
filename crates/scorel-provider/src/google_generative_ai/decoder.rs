use scorel_engine::{ErrorCategory, ProviderError};
use scorel_proto::StopReason;
use serde_json::Value;

use super::parts::OpenPart;
use super::usage;
use crate::http::provider_error;
use crate::wire::{
    DecodedReply, FinishReason, ReplyStatus, WireDecoder, non_empty, text_of, unknown_finish,
};

/// Decodes the events of a Gemini reply: each is a complete `GenerateContentResponse` with further
/// parts. There is no end mark, and an error may still follow the finish reason.
#[derive(Debug, Default)]
pub(crate) struct GeminiDecoder {
    open: OpenPart,
}

impl WireDecoder for GeminiDecoder {
    const EVENT_FIELD: &'static str = "candidates";
    /// Recorded: a 503 as bare JSON after `STOP`.
    const STOP_IS_FINAL: bool = false;

    fn observe(&mut self, payload: &Value, status: &mut ReplyStatus) {
        status.usage = usage::of_event(payload).or(status.usage);
        status.name_model(&payload["modelVersion"]);
    }

    fn decode(
        &mut self,
        payload: &Value,
        status: &mut ReplyStatus,
        out: &mut DecodedReply,
    ) -> Result<(), ProviderError> {
        let Some(candidate) = first_candidate(payload) else {
            check_prompt(&payload["promptFeedback"], status);
            return Ok(());
        };
        let parts = candidate["content"]["parts"].as_array();
        let mut parts = parts.into_iter().flatten();
        parts
            .try_for_each(|part| self.open.add(part, out))
            .map_err(|_| {
                let message = "the pieces of a tool call's arguments contradict each other";
                provider_error(ErrorCategory::BadModelOutput, true, message)
            })?;
        match non_empty(&candidate["finishReason"]) {
            Some(reason) => finish_candidate(reason, candidate, status),
            None => Ok(()),
        }
    }

    fn finish(&mut self, reported: StopReason, out: &mut DecodedReply) -> Option<Value> {
        // Streamed arguments sometimes lack their end mark. After any other reason the call was
        // cut off, and completing it would run it with arguments missing.
        if reported != StopReason::EndTurn {
            self.open.drop_call();
        }
        self.open.finish(out);
        None
    }
}

/// Only one candidate is requested; a server that sends more must not have them mixed.
fn first_candidate(response: &Value) -> Option<&Value> {
    let mut candidates = response["candidates"].as_array()?.iter();
    candidates.find(|candidate| candidate["index"].as_u64().unwrap_or(0) == 0)
}

fn finish_candidate(
    reason: &str,
    candidate: &Value,
    status: &mut ReplyStatus,
) -> Result<(), ProviderError> {
    let message = text_of(&candidate["finishMessage"]);
    match finish_reason(reason) {
        FinishReason::Stop(stop) => {
            if stop == StopReason::ContentFilter {
                tracing::warn!(reason, message, "the provider withheld a reply");
            }
            status.stop = Some(stop);
            Ok(())
        }
        FinishReason::Failure(category) => {
            let text = format!("the provider ended its reply with {reason}: {message}");
            let retryable = category == ErrorCategory::BadModelOutput;
            let text = text.trim_end_matches([':', ' ']);
            Err(provider_error(category, retryable, text))
        }
    }
}

/// A blocked prompt has no candidate, only feedback.
fn check_prompt(feedback: &Value, status: &mut ReplyStatus) {
    if let Some(reason) = feedback["blockReason"].as_str() {
        let message = text_of(&feedback["blockReasonMessage"]);
        tracing::warn!(reason, message, "the provider blocked the prompt");
        status.stop = Some(StopReason::ContentFilter);
    }
}

fn finish_reason(finish_reason: &str) -> FinishReason {
    match finish_reason {
        "STOP" => FinishReason::Stop(StopReason::EndTurn),
        "MAX_TOKENS" => FinishReason::Stop(StopReason::MaxTokens),
        "SAFETY" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII" | "RECITATION" | "LANGUAGE"
        | "MODEL_ARMOR" => FinishReason::Stop(StopReason::ContentFilter),
        // A bad sample; another one may do.
        "MALFORMED_FUNCTION_CALL"
        | "UNEXPECTED_TOOL_CALL"
        | "TOO_MANY_TOOL_CALLS"
        | "MALFORMED_RESPONSE"
        | "OTHER" => FinishReason::Failure(ErrorCategory::BadModelOutput),
        "MISSING_THOUGHT_SIGNATURE" => FinishReason::Failure(ErrorCategory::InvalidRequest),
        image if image.starts_with("IMAGE_") => FinishReason::Stop(StopReason::ContentFilter),
        other => FinishReason::Stop(unknown_finish(other)),
    }
}
