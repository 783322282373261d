use scorel_proto::Usage;
use serde_json::Value;

use crate::wires::json::number;

/// The tokens as Codex counts them.
pub(super) fn usage_of(tokens: &Value) -> Usage {
    Usage {
        input_tokens: number(tokens, "inputTokens"),
        output_tokens: number(tokens, "outputTokens"),
        cache_read_tokens: number(tokens, "cachedInputTokens"),
        cache_write_tokens: number(tokens, "cacheWriteInputTokens"),
        reasoning_tokens: number(tokens, "reasoningOutputTokens"),
    }
}
