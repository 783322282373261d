use scorel_proto::StopReason;

/// What the reason of an incomplete response means.
pub(super) fn of_incomplete(reason: &str) -> StopReason {
    match reason {
        "content_filter" => StopReason::ContentFilter,
        "max_output_tokens" | "max_tokens" | "length" => StopReason::MaxTokens,
        other => {
            // It was cut off, so its calls must not run: the same as with a limit.
            tracing::warn!(
                reason = other,
                "the response is incomplete for an unknown reason"
            );
            StopReason::MaxTokens
        }
    }
}

/// The reason of a complete response, which the wire does not name.
pub(super) const fn of_complete(calls: bool, refused: bool) -> StopReason {
    if refused {
        StopReason::Refusal
    } else if calls {
        StopReason::ToolUse
    } else {
        StopReason::EndTurn
    }
}
