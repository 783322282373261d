use scorel_engine::ErrorCategory;
use scorel_proto::StopReason;

use crate::wire::{FinishReason, unknown_finish};

pub(super) fn parse(finish_reason: &str) -> FinishReason {
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
