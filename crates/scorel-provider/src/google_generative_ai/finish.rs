use scorel_proto::StopReason;
use scorel_runtime::ErrorCategory;

/// What a `finishReason` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// The answer is complete.
    Stop(StopReason),
    /// It is not an answer.
    Failure(ErrorCategory),
}

impl Finish {
    pub(super) fn parse(reason: &str) -> Self {
        match reason {
            "STOP" => Self::Stop(StopReason::EndTurn),
            "MAX_TOKENS" => Self::Stop(StopReason::MaxTokens),
            "SAFETY" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII" | "RECITATION" | "LANGUAGE"
            | "MODEL_ARMOR" => Self::Stop(StopReason::ContentFilter),
            "MALFORMED_FUNCTION_CALL"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MALFORMED_RESPONSE"
            | "OTHER" => Self::Failure(ErrorCategory::BadModelOutput),
            "MISSING_THOUGHT_SIGNATURE" => Self::Failure(ErrorCategory::InvalidRequest),
            image if image.starts_with("IMAGE_") => Self::Stop(StopReason::ContentFilter),
            other => {
                tracing::warn!(reason = other, "the endpoint stopped for an unknown reason");
                Self::Stop(StopReason::EndTurn)
            }
        }
    }
}
