use std::borrow::Cow;

use scorel_proto::{AssistantMessage, Block};
use serde_json::{Value, json};

use super::call_id;
use crate::openai_completions::chat_message::{ChatMessage, ChatRole};
use crate::openai_completions::dialect::{ChatEndpoint, ReasoningReplay};
use crate::openai_completions::reasoning::ReasoningField;
use crate::openai_completions::tool_calls::EXTRA_CONTENT;
use crate::wire::{ModelOrigin, joined, sendable_text, sent_tool_name};

/// `None` if the message has neither text nor calls: most hosts reject it then.
///
/// Of a partial message only the text is sent.
pub(super) fn render<'a>(
    endpoint: &ChatEndpoint,
    message: &'a AssistantMessage,
) -> Option<ChatMessage<'a>> {
    let text = text(message);
    let has_calls = !message.partial && message.tool_uses().next().is_some();
    if text.is_empty() && !has_calls {
        return None;
    }
    if message.partial || !has_calls && !has_reasoning(message) {
        return Some(ChatMessage::text(ChatRole::Assistant, text));
    }
    let origin = endpoint.origin();
    let fact = |name| origin.fact(message.meta.provider.as_ref(), name);
    let is_null = text.is_empty() && endpoint.dialect.null_for_no_text;
    let content = if is_null { Value::Null } else { json!(text) };
    let mut rendered = json!({"role": "assistant", "content": content});
    let (field, reasoning) = reasoning(&origin, message);
    match (endpoint.dialect.replay, fact("reasoningDetails")) {
        (ReasoningReplay::RequiredWithCalls, _) if has_calls => {
            rendered[ReasoningField::ReasoningContent.name()] = json!(reasoning);
        }
        (ReasoningReplay::RequiredWithCalls, _) => {}
        (ReasoningReplay::AsReceived, Some(details)) => {
            rendered[ReasoningField::Details.name()] = details.clone();
        }
        (ReasoningReplay::AsReceived, None) => put(field, &reasoning, &mut rendered),
    }
    if let Some(extra) = fact("extraContent") {
        rendered[EXTRA_CONTENT] = extra.clone();
    }
    if has_calls {
        rendered["tool_calls"] = json!(calls(endpoint, message, fact("callExtras")));
    }
    Some(ChatMessage::Object(rendered))
}

/// Returns whether anything but the text may have to go back.
fn has_reasoning(message: &AssistantMessage) -> bool {
    let thinks = |block: &Block| matches!(block, Block::Thinking { .. });
    message.meta.provider.is_some() || message.content.iter().any(thinks)
}

/// One string: many servers reject arrays of parts in assistant messages.
fn text(message: &AssistantMessage) -> Cow<'_, str> {
    joined(message.content.iter().filter_map(sendable_text).collect())
}

fn calls(
    endpoint: &ChatEndpoint,
    message: &AssistantMessage,
    extras: Option<&Value>,
) -> Vec<Value> {
    let calls = message.content.iter().filter_map(|block| match block {
        Block::ToolUse {
            id, name, input, ..
        } => {
            let mut call = json!({
                "id": call_id::render(endpoint.dialect.call_ids, id),
                "type": "function",
                // Arguments that were not valid JSON are an empty object here: servers parse this
                // string and would reject every later request. Their result explains the error.
                "function": {"name": sent_tool_name(name), "arguments": input.to_string()},
            });
            if let Some(extra) = extras.and_then(|extras| extras.get(id)) {
                call[EXTRA_CONTENT] = extra.clone();
            }
            Some(call)
        }
        _ => None,
    });
    calls.collect()
}

/// The reasoning that came from the same model, and the first field that it came in.
fn reasoning(origin: &ModelOrigin, message: &AssistantMessage) -> (Option<ReasoningField>, String) {
    let (mut first, mut reasoning) = (None, String::new());
    for block in &message.content {
        let Block::Thinking { text, provider, .. } = block else {
            continue;
        };
        let field = origin.fact(provider.as_ref(), "field");
        let field = field.and_then(|field| ReasoningField::parse(field.as_str()?));
        if field.is_some() && !text.is_empty() {
            first = first.or(field);
            reasoning.push_str(text);
        }
    }
    (first, reasoning)
}

/// Puts reasoning where the host wants it back.
fn put(field: Option<ReasoningField>, reasoning: &str, rendered: &mut Value) {
    match field {
        Some(ReasoningField::ContentPart) => {
            let text = rendered["content"].take();
            let mut parts = vec![json!({
                "type": "thinking",
                "thinking": [{"type": "text", "text": reasoning}],
            })];
            if text.as_str().is_some_and(|text| !text.is_empty()) {
                parts.push(json!({"type": "text", "text": text}));
            }
            rendered["content"] = json!(parts);
        }
        // Without its signature the text is not accepted.
        Some(ReasoningField::Details) | None => {}
        // The templates of models that reason in tags drop it from earlier turns.
        Some(ReasoningField::ThinkTag) => {}
        Some(field) => rendered[field.name()] = json!(reasoning),
    }
}
