//! Prompt caching: the key that routes a conversation to its cache, and the marks for Claude.

use scorel_proto::{Block, Message};
use scorel_runtime::ModelRequest;
use serde_json::{Value, json};

use crate::wire::digest;

/// A key that stays the same while a conversation grows and differs between conversations: a digest
/// of the system prompt and the first user message.
pub(super) fn key(request: &ModelRequest) -> String {
    let mut beginning = request.system.clone();
    for text in first_texts(request) {
        beginning.push('\0');
        beginning.push_str(text);
    }
    format!("scorel-{}", digest(&beginning, 32))
}

fn first_texts(request: &ModelRequest) -> impl Iterator<Item = &str> {
    let first = request.messages.iter().find_map(|message| match message {
        Message::User(message) => Some(&message.content),
        _ => None,
    });
    first.into_iter().flatten().filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.as_str()),
        _ => None,
    })
}

/// Claude caches only what is marked, also behind a router; other models cache by themselves.
pub(super) fn wants_marks(model: &str) -> bool {
    model.contains("claude")
}

/// Marks the system prompt and the last text of the user or the model: the prefix that the next
/// request repeats.
pub(super) fn mark(messages: &mut [Value]) {
    let is = |message: &Value, roles: &[&str]| {
        let role = message["role"].as_str().unwrap_or_default();
        roles.contains(&role) && ends_with_text(message)
    };
    let system = messages.iter().position(|message| is(message, &["system"]));
    let last = messages
        .iter()
        .rposition(|message| is(message, &["user", "assistant"]));
    for position in [system, last].into_iter().flatten() {
        mark_message(&mut messages[position]);
    }
}

/// Only text parts take the mark.
fn ends_with_text(message: &Value) -> bool {
    let text = match &message["content"] {
        Value::Array(parts) => parts.last().and_then(|part| part["text"].as_str()),
        content => content.as_str(),
    };
    text.is_some_and(|text| !text.is_empty())
}

fn mark_message(message: &mut Value) {
    let content = &mut message["content"];
    if content.is_string() {
        *content = json!([{"type": "text", "text": content.take()}]);
    }
    if let Some(part) = content.as_array_mut().and_then(|parts| parts.last_mut()) {
        part["cache_control"] = json!({"type": "ephemeral"});
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::mark;

    #[test]
    fn the_system_prompt_and_the_last_text_are_marked() {
        let mut messages = vec![
            json!({"role": "system", "content": "be brief"}),
            json!({"role": "user", "content": "look"}),
            json!({"role": "assistant", "content": null, "tool_calls": []}),
            json!({"role": "tool", "tool_call_id": "1", "content": "seen"}),
        ];
        mark(&mut messages);
        let marked = |text: &str| {
            let mark = json!({"type": "ephemeral"});
            json!([{"type": "text", "text": text, "cache_control": mark}])
        };
        assert_eq!(messages[0]["content"], marked("be brief"));
        assert_eq!(messages[1]["content"], marked("look"));
        assert_eq!(messages[3]["content"], "seen");
    }

    #[test]
    fn a_message_without_text_at_its_end_is_not_marked() {
        let picture = json!([{"type": "image_url", "image_url": {"url": "data:"}}]);
        let mut messages = vec![json!({"role": "user", "content": picture})];
        mark(&mut messages);
        assert_eq!(messages[0]["content"], picture);
    }
}
