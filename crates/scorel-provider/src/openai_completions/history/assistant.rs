use scorel_proto::{AssistantMessage, Block};
use serde_json::{Map, Value, json};

use super::call_id;
use crate::dialect::{NoText, Replay};
use crate::openai_completions::Endpoint;
use crate::openai_completions::reasoning::Field;
use crate::wire::said;

/// The message; `None` if it holds neither text nor calls.
///
/// Of an answer that was cut off only the text is sent.
pub(super) fn render(endpoint: &Endpoint, message: &AssistantMessage) -> Option<Value> {
    let text = text(message);
    let calls = calls(endpoint, message);
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let mut rendered = Map::new();
    rendered.insert("role".to_owned(), json!("assistant"));
    rendered.insert("content".to_owned(), content(endpoint, &text));
    replay(endpoint, message, !calls.is_empty(), &mut rendered);
    if !calls.is_empty() {
        rendered.insert("tool_calls".to_owned(), json!(calls));
    }
    Some(Value::Object(rendered))
}

/// One string: servers do not agree on lists of parts in the assistant's messages.
fn text(message: &AssistantMessage) -> String {
    let texts = message.content.iter().filter_map(said);
    texts.collect::<Vec<_>>().join("\n")
}

fn content(endpoint: &Endpoint, text: &str) -> Value {
    match endpoint.dialect.no_text {
        NoText::Null if text.is_empty() => Value::Null,
        _ => json!(text),
    }
}

fn calls(endpoint: &Endpoint, message: &AssistantMessage) -> Vec<Value> {
    if message.partial {
        return Vec::new();
    }
    let calls = message.content.iter().filter_map(|block| match block {
        Block::ToolUse {
            id, name, input, ..
        } => Some(json!({
            "id": call_id::render(endpoint.dialect.call_ids, id),
            "type": "function",
            // Arguments that could not be parsed are an empty object here: servers parse this text,
            // too, and would refuse the conversation for good. Their result says what was wrong.
            "function": {"name": name, "arguments": input.to_string()},
        })),
        _ => None,
    });
    calls.collect()
}

/// Adds the reasoning that has to go back.
fn replay(
    endpoint: &Endpoint,
    message: &AssistantMessage,
    has_calls: bool,
    rendered: &mut Map<String, Value>,
) {
    let reasoning = Reasoning::of(endpoint, message);
    match endpoint.dialect.replay {
        Replay::RequiredWithCalls if has_calls => {
            let name = Field::ReasoningContent.name().to_owned();
            rendered.insert(name, json!(reasoning.text));
        }
        Replay::RequiredWithCalls => {}
        Replay::AsReceived => reasoning.put(rendered),
    }
}

/// The reasoning of a message, as far as the same model gave it.
#[derive(Debug, Default)]
struct Reasoning {
    field: Option<Field>,
    text: String,
    details: Option<Value>,
}

impl Reasoning {
    fn of(endpoint: &Endpoint, message: &AssistantMessage) -> Self {
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
            let field = field.and_then(|field| Field::parse(field.as_str()?));
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
            rendered.insert(Field::Details.name().to_owned(), details);
            return;
        }
        match self.field {
            Some(Field::ContentPart) => {
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
            // Its text alone would lack what makes it acceptable.
            Some(Field::Details) | None => {}
            // Models that think so are not to see it again.
            Some(Field::ThinkTag) => {}
            Some(field) => {
                rendered.insert(field.name().to_owned(), json!(self.text));
            }
        }
    }
}
