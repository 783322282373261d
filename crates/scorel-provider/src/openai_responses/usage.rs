use scorel_proto::Usage;
use serde_json::Value;

/// Only the terminal event has usage. Input includes the tokens read from the cache, output includes
/// reasoning.
pub(super) fn of_response(response: &Value) -> Option<Usage> {
    let usage = response["usage"].as_object()?;
    let (input, output) = (usage.get("input_tokens"), usage.get("output_tokens"));
    if input.is_none() && output.is_none() {
        return None;
    }
    let number = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or(0);
    let detail = |details: &str, name: &str| number(usage.get(details).and_then(|d| d.get(name)));
    Some(Usage {
        input_tokens: number(input),
        output_tokens: number(output),
        cache_read_tokens: detail("input_tokens_details", "cached_tokens"),
        cache_write_tokens: detail("input_tokens_details", "cache_write_tokens"),
        reasoning_tokens: detail("output_tokens_details", "reasoning_tokens"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::of_response;

    #[test]
    fn details_may_be_missing() {
        let usage = json!({"input_tokens": 5, "output_tokens": 2, "input_tokens_details": null});
        let usage = of_response(&json!({"usage": usage})).unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (5, 2));
        assert_eq!(usage.cache_read_tokens, 0);
        assert_eq!(of_response(&json!({"usage": null})), None);
        assert_eq!(of_response(&json!({"usage": {}})), None);
    }
}
