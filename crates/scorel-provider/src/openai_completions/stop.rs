use scorel_proto::StopReason;
use scorel_runtime::ErrorCategory;

/// What a host's `finish_reason` means.
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
            "stop" | "end" | "eos" | "end_turn" => Self::Stop(StopReason::EndTurn),
            "length" | "max_tokens" => Self::Stop(StopReason::MaxTokens),
            "tool_calls" | "function_call" | "tool_use" => Self::Stop(StopReason::ToolUse),
            "content_filter" => Self::Stop(StopReason::ContentFilter),
            "refusal" => Self::Stop(StopReason::Refusal),
            "error" => Self::Failure(ErrorCategory::ServerError),
            "model_context_window_exceeded" => Self::Failure(ErrorCategory::ContextOverflow),
            other => {
                tracing::warn!(reason = other, "the endpoint stopped for an unknown reason");
                Self::Stop(StopReason::EndTurn)
            }
        }
    }
}

/// The reason to report, given what the answer holds: some hosts say `stop` after tool calls, and
/// some say nothing.
pub(super) const fn settle(reported: StopReason, calls: bool, refused: bool) -> StopReason {
    match reported {
        StopReason::EndTurn | StopReason::ToolUse if refused => StopReason::Refusal,
        StopReason::EndTurn | StopReason::ToolUse if calls => StopReason::ToolUse,
        StopReason::ToolUse => StopReason::EndTurn,
        other => other,
    }
}
