use scorel_proto::Usage;
use serde_json::Value;

/// The usage in an event. It is cumulative, so the last one counts. `None` if it has no counters.
pub(super) fn of_event(event: &Value) -> Option<Usage> {
    let usage = &event["usageMetadata"];
    let count = |field: &str| usage[field].as_u64();
    let counted = [
        "promptTokenCount",
        "candidatesTokenCount",
        "totalTokenCount",
    ];
    if !counted.iter().any(|field| count(field).is_some()) {
        return None;
    }
    let count = |field: &str| count(field).unwrap_or(0);
    let reasoning_tokens = count("thoughtsTokenCount");
    Some(Usage {
        // The prompt includes the tokens read from the cache, but not the results of Google's own
        // tools.
        input_tokens: count("promptTokenCount").saturating_add(count("toolUsePromptTokenCount")),
        // The candidates do not include the thoughts.
        output_tokens: count("candidatesTokenCount").saturating_add(reasoning_tokens),
        cache_read_tokens: count("cachedContentTokenCount"),
        cache_write_tokens: 0,
        reasoning_tokens,
    })
}
