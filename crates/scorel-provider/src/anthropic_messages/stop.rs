use scorel_proto::StopReason;

/// What a `stop_reason` means.
pub(super) fn parse(reason: &str) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "pause_turn" => StopReason::Pause,
        "refusal" => StopReason::Refusal,
        "sensitive" => StopReason::ContentFilter,
        other => {
            tracing::warn!(reason = other, "the endpoint stopped for an unknown reason");
            StopReason::EndTurn
        }
    }
}

/// The reason to report, given what the answer holds: not every host gets it right.
pub(super) const fn settle(reported: StopReason, calls: bool) -> StopReason {
    match reported {
        StopReason::EndTurn if calls => StopReason::ToolUse,
        StopReason::ToolUse if !calls => StopReason::EndTurn,
        other => other,
    }
}
