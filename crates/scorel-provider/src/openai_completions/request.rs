use reqwest::Url;
use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::{Block, Message, ThinkingLevel};
use serde_json::{Value, json};

use super::cache;
use super::chat_message::{ChatMessage, ChatRole};
use super::decoder::ChatDecoder;
use super::dialect::{ChatDialect, ChatEndpoint, ThinkingSwitch};
use super::history::ChatHistory;
use crate::ThinkingLevels;
use crate::wire::{JsonBody, Wire, with_path};

#[derive(Debug)]
pub(crate) struct OpenAiCompletions;

impl Wire for OpenAiCompletions {
    const API: &'static str = "openai-completions";

    type Dialect = ChatDialect;
    type History = ChatHistory;
    type Decoder = ChatDecoder;

    fn url(base: Url, _model: &str) -> Url {
        with_path(base, "chat/completions")
    }

    /// The system prompt begins the conversation.
    fn head(endpoint: &ChatEndpoint, request: &ModelRequest, body: &mut JsonBody) {
        body.set("model", endpoint.model.id.as_str());
        body.set_some("tools", tools(endpoint, request));
        body.begin_list("messages");
        if !request.system.is_empty() {
            let system = ChatMessage::text(ChatRole::System, request.system.as_str());
            if cache::wants_marks(endpoint) {
                body.item(cache::marked(json!(system)));
            } else {
                body.item(system);
            }
        }
    }

    fn tail(endpoint: &ChatEndpoint, request: &ModelRequest, _: &ChatHistory, body: &mut JsonBody) {
        let dialect = endpoint.dialect;
        body.set("stream", true);
        // Without it OpenAI and others report no usage.
        body.set("stream_options", json!({"include_usage": true}));
        body.set_some(dialect.output_limit, endpoint.output_limit);
        let stop = stop(endpoint);
        if !stop.is_empty() {
            body.set("stop", stop);
        }
        if dialect.store_nothing {
            body.set("store", false);
        }
        if dialect.cache_key {
            body.set("prompt_cache_key", cache::key(request));
        }
        if dialect.usage_include {
            body.set("usage", json!({"include": true}));
        }
        if endpoint.reasoning {
            body.extend(thinking(
                dialect.thinking,
                endpoint.levels,
                request.thinking,
            ));
        }
    }
}

fn stop(endpoint: &ChatEndpoint) -> &[String] {
    let dialect = endpoint.dialect;
    if dialect.no_stop_with_reasoning && endpoint.reasoning {
        return &[];
    }
    let all = &endpoint.stop_sequences;
    &all[..dialect.most_stops.min(all.len())]
}

fn tools(endpoint: &ChatEndpoint, request: &ModelRequest) -> Option<Value> {
    let wanted = !request.tools.is_empty() || endpoint.dialect.empty_tools && has_calls(request);
    wanted.then(|| request.tools.iter().map(tool).collect())
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": *spec.parameters,
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

/// The fields that control reasoning. The default level sends none.
fn thinking(
    switch: ThinkingSwitch,
    levels: ThinkingLevels,
    level: ThinkingLevel,
) -> Vec<(&'static str, Value)> {
    if level == ThinkingLevel::Default {
        return Vec::new();
    }
    let nearest = levels.nearest(level);
    let effort = ("reasoning_effort", json!(nearest));
    let is_off = nearest == ThinkingLevel::None;
    let kind = if is_off { "disabled" } else { "enabled" };
    let enabled = level != ThinkingLevel::None;
    match switch {
        ThinkingSwitch::Effort => vec![effort],
        ThinkingSwitch::TypeAndEffort => {
            let switch = ("thinking", json!({"type": kind}));
            let degree = (!is_off).then_some(effort);
            std::iter::once(switch).chain(degree).collect()
        }
        ThinkingSwitch::TypeOrEffort if levels.has_degrees() => vec![effort],
        ThinkingSwitch::TypeOrEffort => vec![("thinking", json!({"type": kind}))],
        ThinkingSwitch::KeptType => {
            let switch = json!({"type": kind, "clear_thinking": false});
            let degree = (!is_off && levels.has_degrees()).then_some(effort);
            std::iter::once(("thinking", switch))
                .chain(degree)
                .collect()
        }
        ThinkingSwitch::EnableThinking => vec![("enable_thinking", json!(enabled))],
        ThinkingSwitch::Object if is_off => vec![("reasoning", json!({"enabled": false}))],
        ThinkingSwitch::Object => vec![("reasoning", json!({"effort": nearest}))],
        ThinkingSwitch::Template => {
            vec![("chat_template_kwargs", json!({"enable_thinking": enabled}))]
        }
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::ThinkingLevel;
    use serde_json::{Value, json};

    use crate::openai_completions::ChatDialect;

    fn thinking(dialect: ChatDialect, level: ThinkingLevel) -> Vec<(&'static str, Value)> {
        super::thinking(dialect.thinking, dialect.levels, level)
    }

    #[test]
    fn the_default_level_is_not_sent() {
        let fields = thinking(ChatDialect::OPENAI, ThinkingLevel::Default);
        assert_eq!(fields, []);
    }

    #[test]
    fn a_level_that_a_host_does_not_have_becomes_the_next_higher() {
        let fields = thinking(ChatDialect::XAI, ThinkingLevel::Medium);
        assert_eq!(fields, [("reasoning_effort", json!("high"))]);
        let fields = thinking(ChatDialect::COMPATIBLE, ThinkingLevel::None);
        assert_eq!(fields, [("reasoning_effort", json!("low"))]);
    }

    #[test]
    fn thinking_is_switched_off_in_the_syntax_of_the_host() {
        let off = |dialect: ChatDialect| thinking(dialect, ThinkingLevel::None);
        let deepseek = json!({"type": "disabled"});
        assert_eq!(off(ChatDialect::DEEPSEEK), [("thinking", deepseek)]);
        let openrouter = json!({"enabled": false});
        assert_eq!(off(ChatDialect::OPENROUTER), [("reasoning", openrouter)]);
        let template = json!({"enable_thinking": false});
        assert_eq!(
            off(ChatDialect::TEMPLATE),
            [("chat_template_kwargs", template)]
        );
        let moonshot = json!({"type": "disabled"});
        assert_eq!(off(ChatDialect::MOONSHOT), [("thinking", moonshot)]);
        let zhipu = json!({"type": "disabled", "clear_thinking": false});
        assert_eq!(off(ChatDialect::ZHIPU), [("thinking", zhipu)]);
        assert_eq!(off(ChatDialect::QWEN), [("enable_thinking", json!(false))]);
        let effort = |dialect: ChatDialect| {
            let fields = off(dialect);
            fields[0].1.clone()
        };
        assert_eq!(effort(ChatDialect::OPENAI), "low", "not all have none");
        assert_eq!(effort(ChatDialect::OLLAMA), "none");
        assert_eq!(effort(ChatDialect::MISTRAL), "none");
    }
}
