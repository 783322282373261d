use scorel_proto::Usage;
use serde_json::Value;

/// The usage in a chunk: at the top, in the choice (Moonshot), or in `x_groq`.
pub(super) fn of_chunk(chunk: &Value) -> Option<Usage> {
    [
        &chunk["usage"],
        &chunk["choices"][0]["usage"],
        &chunk["x_groq"]["usage"],
    ]
    .into_iter()
    .find_map(parse)
}

fn parse(usage: &Value) -> Option<Usage> {
    let input_tokens = usage["prompt_tokens"].as_u64();
    let completion = usage["completion_tokens"].as_u64();
    if input_tokens.is_none() && completion.is_none() {
        return None;
    }
    let (input_tokens, completion) = (input_tokens.unwrap_or(0), completion.unwrap_or(0));
    let input = &usage["prompt_tokens_details"];
    let reasoning_tokens = first(&[
        &usage["completion_tokens_details"]["reasoning_tokens"],
        &usage["reasoning_tokens"],
    ]);
    let cache_read_tokens = first(&[
        &input["cached_tokens"],
        // DeepSeek
        &usage["prompt_cache_hit_tokens"],
        // Moonshot
        &usage["cached_tokens"],
    ]);
    // Everywhere else the completion includes the reasoning; xAI counts it apart, which only the
    // total shows.
    let all = input_tokens
        .saturating_add(completion)
        .saturating_add(reasoning_tokens);
    let apart = reasoning_tokens > 0 && usage["total_tokens"] == all;
    Some(Usage {
        input_tokens,
        output_tokens: completion.saturating_add(if apart { reasoning_tokens } else { 0 }),
        cache_read_tokens,
        // OpenRouter
        cache_write_tokens: first(&[&input["cache_write_tokens"]]),
        reasoning_tokens,
    })
}

/// The first number that is not zero.
fn first(numbers: &[&Value]) -> u64 {
    let mut found = numbers.iter().filter_map(|number| number.as_u64());
    found.find(|number| *number > 0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::of_chunk;

    #[test]
    fn reasoning_is_added_only_where_the_total_includes_it() {
        let usage = |total: u64| {
            let details = json!({"reasoning_tokens": 5});
            let usage = json!({
                "prompt_tokens": 10, "completion_tokens": 7, "total_tokens": total,
                "completion_tokens_details": details,
            });
            of_chunk(&json!({"usage": usage})).unwrap().output_tokens
        };
        assert_eq!(usage(17), 7);
        assert_eq!(usage(22), 12);
    }

    #[test]
    fn usage_is_found_in_every_place() {
        let usage = json!({"prompt_tokens": 3, "completion_tokens": 1});
        for chunk in [
            json!({"usage": usage}),
            json!({"choices": [{"usage": usage}]}),
            json!({"usage": null, "x_groq": {"usage": usage}}),
        ] {
            assert_eq!(of_chunk(&chunk).unwrap().input_tokens, 3, "{chunk}");
        }
        assert_eq!(of_chunk(&json!({"usage": null})), None);
    }
}
