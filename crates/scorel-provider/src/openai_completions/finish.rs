use scorel_engine::ErrorCategory;
use scorel_proto::StopReason;

use crate::wire::{FinishReason, unknown_finish};

pub(super) fn parse(finish_reason: &str) -> FinishReason {
    match finish_reason {
        "stop" | "end" | "eos" | "end_turn" => FinishReason::Stop(StopReason::EndTurn),
        "length" | "max_tokens" => FinishReason::Stop(StopReason::MaxTokens),
        "tool_calls" | "function_call" | "tool_use" => FinishReason::Stop(StopReason::ToolUse),
        "content_filter" => FinishReason::Stop(StopReason::ContentFilter),
        "refusal" => FinishReason::Stop(StopReason::Refusal),
        // OpenRouter
        "error" => FinishReason::Failure(ErrorCategory::ServerError),
        // z.ai
        "model_context_window_exceeded" => FinishReason::Failure(ErrorCategory::ContextOverflow),
        other => FinishReason::Stop(unknown_finish(other)),
    }
}
