use scorel_proto::Usage;
use serde_json::Value;

/// The usage counters of one reply, which arrive in several events.
#[derive(Debug, Default)]
pub(super) struct AnthropicUsage {
    /// Input neither read from the cache nor written to it: unlike at other providers the three
    /// counters are disjoint.
    uncached_input: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl AnthropicUsage {
    /// Takes one `usage` object; what it names replaces earlier values. `message_start` can only
    /// estimate, and `message_delta` repeats everything on some hosts and only `output_tokens` on
    /// others.
    pub(super) fn update(&mut self, usage: &Value) {
        let take = |count: &mut Option<u64>, value: &Value| *count = value.as_u64().or(*count);
        take(&mut self.uncached_input, &usage["input_tokens"]);
        take(&mut self.cache_read, &usage["cache_read_input_tokens"]);
        take(&mut self.cache_write, &usage["cache_creation_input_tokens"]);
        take(&mut self.output, &usage["output_tokens"]);
        let details = &usage["output_tokens_details"];
        take(&mut self.thinking, &details["thinking_tokens"]);
    }

    pub(super) fn total(&self) -> Option<Usage> {
        if self.uncached_input.is_none() && self.output.is_none() {
            return None;
        }
        let count = |count: Option<u64>| count.unwrap_or(0);
        let (cache_read_tokens, cache_write_tokens) =
            (count(self.cache_read), count(self.cache_write));
        let cached = cache_read_tokens.saturating_add(cache_write_tokens);
        Some(Usage {
            input_tokens: count(self.uncached_input).saturating_add(cached),
            output_tokens: count(self.output),
            cache_read_tokens,
            cache_write_tokens,
            reasoning_tokens: count(self.thinking),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::AnthropicUsage;

    #[test]
    fn cached_input_is_a_part_of_all_input() {
        let mut counts = AnthropicUsage::default();
        assert_eq!(counts.total(), None);
        counts.update(&json!({
            "input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 5,
            "output_tokens": 1,
        }));
        counts.update(&json!({"output_tokens": 7, "cache_read_input_tokens": null}));
        let usage = counts.total().unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (18, 7));
        assert_eq!((usage.cache_read_tokens, usage.cache_write_tokens), (10, 5));
    }
}
