use scorel_proto::Usage;
use serde_json::Value;

/// The usage that an event reports, cumulative; `None` if it counts nothing.
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
        // What was read from the cache is part of the prompt; results of the endpoint's own tools
        // are not.
        input_tokens: count("promptTokenCount") + count("toolUsePromptTokenCount"),
        output_tokens: count("candidatesTokenCount") + reasoning_tokens,
        cache_read_tokens: count("cachedContentTokenCount"),
        cache_write_tokens: 0,
        reasoning_tokens,
    })
}
