use scorel_proto::Usage;
use serde_json::Value;

/// What a call used, as its events tell it piece by piece.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Input that came neither from the cache nor went into it.
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl Counts {
    /// Takes one `usage` object. What it names replaces what was known: the first event can only
    /// estimate, and the last may leave out what did not change.
    pub(super) fn update(&mut self, usage: &Value) {
        let take = |count: &mut Option<u64>, value: &Value| *count = value.as_u64().or(*count);
        take(&mut self.input, &usage["input_tokens"]);
        take(&mut self.cache_read, &usage["cache_read_input_tokens"]);
        take(&mut self.cache_write, &usage["cache_creation_input_tokens"]);
        take(&mut self.output, &usage["output_tokens"]);
        let details = &usage["output_tokens_details"];
        take(&mut self.thinking, &details["thinking_tokens"]);
    }

    pub(super) fn usage(&self) -> Option<Usage> {
        if self.input.is_none() && self.output.is_none() {
            return None;
        }
        let count = |count: Option<u64>| count.unwrap_or(0);
        let (cache_read_tokens, cache_write_tokens) =
            (count(self.cache_read), count(self.cache_write));
        let cached = cache_read_tokens.saturating_add(cache_write_tokens);
        Some(Usage {
            input_tokens: count(self.input).saturating_add(cached),
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

    use super::Counts;

    #[test]
    fn cached_input_is_a_part_of_all_input() {
        let mut counts = Counts::default();
        assert_eq!(counts.usage(), None);
        counts.update(&json!({
            "input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 5,
            "output_tokens": 1,
        }));
        counts.update(&json!({"output_tokens": 7, "cache_read_input_tokens": null}));
        let usage = counts.usage().unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (18, 7));
        assert_eq!((usage.cache_read_tokens, usage.cache_write_tokens), (10, 5));
    }
}
