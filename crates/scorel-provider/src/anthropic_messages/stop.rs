use scorel_proto::StopReason;

use crate::wire::unknown_finish;

pub(super) fn parse(stop_reason: &str) -> StopReason {
    match stop_reason {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        // A long server-side tool loop was interrupted: the message is sent back to go on.
        "pause_turn" => StopReason::Pause,
        "refusal" => StopReason::Refusal,
        "sensitive" => StopReason::ContentFilter,
        other => unknown_finish(other),
    }
}
