use scorel_engine::ProviderError;
use scorel_proto::StopReason;
use serde_json::Value;

use super::blocks::AnthropicBlocks;
use super::usage::AnthropicUsage;
use crate::wire::{DecodedReply, ReplyStatus, WireDecoder, non_empty, text_of, unknown_finish};

/// Decodes the events of the Messages API: `message_start`, the content blocks one after another,
/// `message_delta` with the stop reason, `message_stop`.
#[derive(Debug, Default)]
pub(crate) struct AnthropicDecoder {
    blocks: AnthropicBlocks,
    usage: AnthropicUsage,
}

impl AnthropicDecoder {
    /// The content that a message brings along: all of it on hosts that do not stream.
    fn message(&mut self, message: &Value, out: &mut DecodedReply) {
        for block in message["content"].as_array().into_iter().flatten() {
            self.blocks.start(block, out);
        }
    }
}

impl WireDecoder for AnthropicDecoder {
    const EVENT_FIELD: &'static str = "type";

    fn observe(&mut self, payload: &Value, status: &mut ReplyStatus) {
        let (message, stop_reason) = match text_of(&payload["type"]) {
            "message_start" => (&payload["message"], &payload["message"]["stop_reason"]),
            "message_delta" => (payload, &payload["delta"]["stop_reason"]),
            "message" => (payload, &payload["stop_reason"]),
            _ => return,
        };
        status.name_model(&message["model"]);
        self.usage.update(&message["usage"]);
        status.usage = self.usage.total();
        if let Some(reason) = non_empty(stop_reason) {
            status.stop = Some(stop(reason));
        }
    }

    fn decode(
        &mut self,
        payload: &Value,
        status: &mut ReplyStatus,
        out: &mut DecodedReply,
    ) -> Result<(), ProviderError> {
        let kind = text_of(&payload["type"]);
        match kind {
            "message_start" => self.message(&payload["message"], out),
            "content_block_start" => self.blocks.start(&payload["content_block"], out),
            "content_block_delta" => self.blocks.delta(&payload["delta"], out),
            "content_block_stop" => self.blocks.stop(out),
            "message" => self.message(payload, out),
            // `ping`, and types that are added without notice.
            _ => {}
        }
        if matches!(kind, "message_stop" | "message") {
            status.stop.get_or_insert(StopReason::EndTurn);
            status.done = true;
        }
        Ok(())
    }

    fn finish(&mut self, _reported: StopReason, out: &mut DecodedReply) -> Option<Value> {
        self.blocks.stop(out);
        self.blocks.take_opaque(&out.origin)
    }
}

fn stop(stop_reason: &str) -> StopReason {
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
