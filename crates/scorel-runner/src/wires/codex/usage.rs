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

/// The total before its last part.
pub(super) fn without(total: &Usage, last: &Usage) -> Usage {
    Usage {
        input_tokens: total.input_tokens.saturating_sub(last.input_tokens),
        output_tokens: total.output_tokens.saturating_sub(last.output_tokens),
        cache_read_tokens: total
            .cache_read_tokens
            .saturating_sub(last.cache_read_tokens),
        cache_write_tokens: total
            .cache_write_tokens
            .saturating_sub(last.cache_write_tokens),
        reasoning_tokens: total.reasoning_tokens.saturating_sub(last.reasoning_tokens),
    }
}
