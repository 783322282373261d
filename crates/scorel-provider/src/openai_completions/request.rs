use scorel_proto::{Block, Message, ThinkingLevel};
use scorel_runtime::{ModelRequest, ToolSpec};
use serde_json::{Map, Value, json};

use super::Endpoint;
use super::{cache, history};
use crate::dialect::{OutputLimit, StopLimit, ThinkingSwitch};
use crate::wire::nearest;

/// The body of a call; see [`Wire::render`](crate::wire::Wire::render).
pub(super) fn render(endpoint: &Endpoint, request: &ModelRequest) -> Vec<u8> {
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    set("model", json!(endpoint.model.id));
    if let Some(tools) = tools(endpoint, request) {
        set("tools", tools);
    }
    let mut messages = history::render(endpoint, request);
    if endpoint.dialect.cache_marks && cache::wants_marks(&endpoint.model.id) {
        cache::mark(&mut messages);
    }
    set("messages", json!(messages));
    set("stream", json!(true));
    set("stream_options", json!({"include_usage": true}));
    if let Some(limit) = endpoint.output_limit {
        let name = match endpoint.dialect.output_limit {
            OutputLimit::MaxTokens => "max_tokens",
            OutputLimit::MaxCompletionTokens => "max_completion_tokens",
        };
        set(name, json!(limit));
    }
    let stop = stop(endpoint);
    if !stop.is_empty() {
        set("stop", json!(stop));
    }
    if endpoint.dialect.store_nothing {
        set("store", json!(false));
    }
    if endpoint.dialect.cache_key {
        set("prompt_cache_key", json!(cache::key(request)));
    }
    if endpoint.dialect.ask_for_costs {
        set("usage", json!({"include": true}));
    }
    if endpoint.reasoning {
        for (name, value) in thinking(endpoint.dialect.thinking, request.thinking) {
            set(name, value);
        }
    }
    // Values of strings, numbers and lists always have a text.
    Value::Object(body).to_string().into_bytes()
}

/// As many of the texts to stop at as the host takes.
fn stop(endpoint: &Endpoint) -> &[String] {
    let limit = match endpoint.dialect.stop {
        StopLimit::UpTo(limit) => limit,
        StopLimit::UnlessThinking(_) if endpoint.reasoning => 0,
        StopLimit::UnlessThinking(limit) => limit,
    };
    let all = &endpoint.stop_sequences;
    &all[..limit.min(all.len())]
}

fn tools(endpoint: &Endpoint, request: &ModelRequest) -> Option<Value> {
    let wanted = !request.tools.is_empty() || endpoint.dialect.empty_tools && has_calls(request);
    wanted.then(|| request.tools.iter().map(tool).collect())
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
        },
    })
}

fn has_calls(request: &ModelRequest) -> bool {
    request.messages.iter().any(|message| match message {
        Message::Assistant(message) => message
            .content
            .iter()
            .any(|block| matches!(block, Block::ToolUse { .. })),
        _ => false,
    })
}

/// The fields that tell the model how much to think.
fn thinking(switch: ThinkingSwitch, level: ThinkingLevel) -> Vec<(&'static str, Value)> {
    if level == ThinkingLevel::Default {
        return Vec::new();
    }
    let off = level == ThinkingLevel::None;
    let kind = if off { "disabled" } else { "enabled" };
    match switch {
        ThinkingSwitch::Effort(levels) => {
            vec![("reasoning_effort", json!(nearest(levels, level)))]
        }
        ThinkingSwitch::Enabled if off => vec![("thinking", json!({"type": kind}))],
        ThinkingSwitch::Enabled => vec![
            ("thinking", json!({"type": kind})),
            (
                "reasoning_effort",
                json!(nearest(&[ThinkingLevel::Low, ThinkingLevel::High], level)),
            ),
        ],
        ThinkingSwitch::Toggle => vec![("thinking", json!({"type": kind}))],
        ThinkingSwitch::KeptToggle => {
            vec![("thinking", json!({"type": kind, "clear_thinking": false}))]
        }
        ThinkingSwitch::EnableThinking => vec![("enable_thinking", json!(!off))],
        ThinkingSwitch::Object if off => vec![("reasoning", json!({"enabled": false}))],
        ThinkingSwitch::Object => vec![("reasoning", json!({"effort": level}))],
        ThinkingSwitch::Template => {
            vec![("chat_template_kwargs", json!({"enable_thinking": !off}))]
        }
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::ThinkingLevel;
    use serde_json::json;

    use super::thinking;
    use crate::dialect::Dialect;

    #[test]
    fn the_default_level_says_nothing() {
        let fields = thinking(Dialect::OPENAI.thinking, ThinkingLevel::Default);
        assert_eq!(fields, []);
    }

    #[test]
    fn a_level_that_a_host_does_not_have_becomes_the_next_higher() {
        let fields = thinking(Dialect::XAI.thinking, ThinkingLevel::Medium);
        assert_eq!(fields, [("reasoning_effort", json!("high"))]);
        let fields = thinking(Dialect::COMPATIBLE.thinking, ThinkingLevel::None);
        assert_eq!(fields, [("reasoning_effort", json!("low"))]);
    }

    #[test]
    fn thinking_is_switched_off_in_the_words_of_the_host() {
        let off = |dialect: Dialect| thinking(dialect.thinking, ThinkingLevel::None);
        let deepseek = json!({"type": "disabled"});
        assert_eq!(off(Dialect::DEEPSEEK), [("thinking", deepseek)]);
        let openrouter = json!({"enabled": false});
        assert_eq!(off(Dialect::OPENROUTER), [("reasoning", openrouter)]);
        let template = json!({"enable_thinking": false});
        assert_eq!(off(Dialect::TEMPLATE), [("chat_template_kwargs", template)]);
        let moonshot = json!({"type": "disabled"});
        assert_eq!(off(Dialect::MOONSHOT), [("thinking", moonshot)]);
        let zhipu = json!({"type": "disabled", "clear_thinking": false});
        assert_eq!(off(Dialect::ZHIPU), [("thinking", zhipu)]);
        assert_eq!(off(Dialect::QWEN), [("enable_thinking", json!(false))]);
        let effort = |dialect: Dialect| {
            let fields = off(dialect);
            fields[0].1.clone()
        };
        assert_eq!(effort(Dialect::OPENAI), "none");
        assert_eq!(effort(Dialect::OLLAMA), "none");
        assert_eq!(effort(Dialect::MISTRAL), "none");
    }
}
