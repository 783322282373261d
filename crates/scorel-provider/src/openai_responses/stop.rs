use scorel_proto::StopReason;

/// Parses the `incomplete_details.reason` of a response.
pub(super) fn of_incomplete(reason: &str) -> StopReason {
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
