use std::borrow::Cow;

use scorel_proto::{AssistantMessage, Block};
use serde_json::{Map, Value, json};

use super::call_id;
use crate::openai_completions::chat_message::{ChatMessage, ChatRole};
use crate::openai_completions::dialect::{ChatEndpoint, EmptyText, ReasoningReplay};
use crate::openai_completions::reasoning::ReasoningField;
use crate::openai_completions::tool_calls::EXTRA_CONTENT;
use crate::wire::{joined, sendable_text, sent_tool_name};

/// `None` if the message has neither text nor calls: most hosts reject it then.
///
/// Of a partial message only the text is sent.
pub(super) fn render<'a>(
    endpoint: &ChatEndpoint,
    message: &'a AssistantMessage,
) -> Option<ChatMessage<'a>> {
    let text = text(message);
    let calls = calls(endpoint, message);
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    if calls.is_empty() && !has_reasoning(message) {
        return Some(ChatMessage::text(ChatRole::Assistant, text));
    }
    let mut rendered = Map::new();
    rendered.insert("role".to_owned(), json!("assistant"));
    rendered.insert("content".to_owned(), content(endpoint, &text));
    replay(endpoint, message, !calls.is_empty(), &mut rendered);
    if let Some(extra) = fact(endpoint, message, "extraContent") {
        rendered.insert(EXTRA_CONTENT.to_owned(), extra.clone());
    }
    if !calls.is_empty() {
        rendered.insert("tool_calls".to_owned(), json!(calls));
    }
    Some(ChatMessage::Object(rendered))
}

/// Returns whether anything but the text may have to go back.
fn has_reasoning(message: &AssistantMessage) -> bool {
    let thinks = |block: &Block| matches!(block, Block::Thinking { .. });
    let kept = message.meta.provider.is_some() || message.content.iter().any(thinks);
    kept && !message.partial
}

/// One string: many servers reject arrays of parts in assistant messages.
fn text(message: &AssistantMessage) -> Cow<'_, str> {
    joined(message.content.iter().filter_map(sendable_text).collect())
}

fn content(endpoint: &ChatEndpoint, text: &str) -> Value {
    match endpoint.dialect.no_text {
        EmptyText::Null if text.is_empty() => Value::Null,
        _ => json!(text),
    }
}

fn calls(endpoint: &ChatEndpoint, message: &AssistantMessage) -> Vec<Value> {
    if message.partial {
        return Vec::new();
    }
    let extras = fact(endpoint, message, "callExtras");
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

/// A fact that the same model left with a whole message.
fn fact<'a>(
    endpoint: &ChatEndpoint,
    message: &'a AssistantMessage,
    name: &str,
) -> Option<&'a Value> {
    let whole = message.meta.provider.as_ref().filter(|_| !message.partial);
    endpoint.origin().fact(whole, name)
}

/// Adds the reasoning that the host wants back.
fn replay(
    endpoint: &ChatEndpoint,
    message: &AssistantMessage,
    has_calls: bool,
    rendered: &mut Map<String, Value>,
) {
    let reasoning = StoredReasoning::of(endpoint, message);
    match endpoint.dialect.replay {
        ReasoningReplay::RequiredWithCalls if has_calls => {
            let name = ReasoningField::ReasoningContent.name().to_owned();
            rendered.insert(name, json!(reasoning.text));
        }
        ReasoningReplay::RequiredWithCalls => {}
        ReasoningReplay::AsReceived => reasoning.put(rendered),
    }
}

/// The reasoning of a message, if it came from the same model.
#[derive(Debug, Default)]
struct StoredReasoning {
    field: Option<ReasoningField>,
    text: String,
    details: Option<Value>,
}

impl StoredReasoning {
    fn of(endpoint: &ChatEndpoint, message: &AssistantMessage) -> Self {
        let mut reasoning = Self::default();
        if message.partial {
            return reasoning;
        }
        let origin = endpoint.origin();
        for block in &message.content {
            let Block::Thinking { text, provider, .. } = block else {
                continue;
            };
            let field = origin.fact(provider.as_ref(), "field");
            let field = field.and_then(|field| ReasoningField::parse(field.as_str()?));
            if field.is_some() && !text.is_empty() {
                reasoning.field = reasoning.field.or(field);
                reasoning.text.push_str(text);
            }
        }
        let details = origin.fact(message.meta.provider.as_ref(), "reasoningDetails");
        reasoning.details = details.cloned();
        reasoning
    }

    fn put(self, rendered: &mut Map<String, Value>) {
        if let Some(details) = self.details {
            rendered.insert(ReasoningField::Details.name().to_owned(), details);
            return;
        }
        match self.field {
            Some(ReasoningField::ContentPart) => {
                let text = rendered["content"].take();
                let mut parts = vec![json!({
                    "type": "thinking",
                    "thinking": [{"type": "text", "text": self.text}],
                })];
                if text.as_str().is_some_and(|text| !text.is_empty()) {
                    parts.push(json!({"type": "text", "text": text}));
                }
                rendered.insert("content".to_owned(), json!(parts));
            }
            // Without its signature the text is not accepted.
            Some(ReasoningField::Details) | None => {}
            // The templates of models that reason in tags drop it from earlier turns.
            Some(ReasoningField::ThinkTag) => {}
            Some(field) => {
                rendered.insert(field.name().to_owned(), json!(self.text));
            }
        }
    }
}
