use scorel_engine::ErrorCategory;
use scorel_proto::StopReason;

/// The meaning of a provider's finish reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinishReason {
    /// The reply is complete.
    Stop(StopReason),
    /// The provider gave up; the content streamed so far is not a reply.
    Failure(ErrorCategory),
}

/// An unknown finish reason ends the turn like a plain stop: providers add reasons without notice,
/// and failing would lose a reply that is complete.
pub(crate) fn unknown_finish(reason: &str) -> StopReason {
    tracing::warn!(reason, "unknown finish reason, treated as a normal stop");
    StopReason::EndTurn
}

/// The stop reason to report, given the streamed content.
///
/// Content decides, not the reported reason: Gemini always reports `STOP` after calls, the Responses
/// API reports none, and some chat-completions hosts report `stop` after calls or `tool_calls`
/// without any. Reasons that cut a reply short stay, since the calls of such a reply must not run.
pub(super) const fn settle(reported: StopReason, has_calls: bool, refused: bool) -> StopReason {
    match reported {
        StopReason::EndTurn | StopReason::ToolUse if refused => StopReason::Refusal,
        StopReason::EndTurn | StopReason::ToolUse if has_calls => StopReason::ToolUse,
        StopReason::ToolUse => StopReason::EndTurn,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use StopReason::{EndTurn, MaxTokens, Refusal, ToolUse};
    use scorel_proto::StopReason;

    use super::settle;

    #[test]
    fn content_decides_unless_the_reply_was_cut_short() {
        for (reported, has_calls, refused, settled) in [
            (EndTurn, true, false, ToolUse),
            (ToolUse, false, false, EndTurn),
            (EndTurn, false, true, Refusal),
            (ToolUse, true, true, Refusal),
            (MaxTokens, true, false, MaxTokens),
            (EndTurn, false, false, EndTurn),
        ] {
            assert_eq!(settle(reported, has_calls, refused), settled);
        }
    }
}
