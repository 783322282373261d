//! What helps an endpoint to find the part of a conversation that it knows.

use std::fmt::Write as _;

use scorel_proto::{Block, Message};
use scorel_runtime::ModelRequest;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A name that stays the same while a conversation goes on and differs from that of others: a
/// digest of how it begins.
pub(super) fn key(request: &ModelRequest) -> String {
    let mut digest = Sha256::new();
    digest.update(request.system.as_bytes());
    for text in first_texts(request) {
        digest.update([0]);
        digest.update(text.as_bytes());
    }
    let mut key = String::from("scorel-");
    for byte in &digest.finalize()[..16] {
        // Writing to a string cannot fail.
        let _ = write!(key, "{byte:02x}");
    }
    key
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

/// Whether a model behind a router caches only what is marked.
pub(super) fn wants_marks(model: &str) -> bool {
    model.contains("claude")
}

/// Marks the ends of what will come again: the system prompt, and the last message with a text of
/// a user or of the model.
pub(super) fn mark(messages: &mut [Value]) {
    let is = |message: &Value, roles: &[&str]| {
        let role = message["role"].as_str().unwrap_or_default();
        roles.contains(&role) && last_text(message).is_some()
    };
    let system = messages.iter().position(|message| is(message, &["system"]));
    let last = messages
        .iter()
        .rposition(|message| is(message, &["user", "assistant"]));
    for place in [system, last].into_iter().flatten() {
        mark_message(&mut messages[place]);
    }
}

fn last_text(message: &Value) -> Option<&str> {
    let text = match &message["content"] {
        Value::Array(parts) => parts.last()?["text"].as_str(),
        content => content.as_str(),
    };
    text.filter(|text| !text.is_empty())
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
    fn what_has_no_text_at_its_end_is_not_marked() {
        let picture = json!([{"type": "image_url", "image_url": {"url": "data:"}}]);
        let mut messages = vec![json!({"role": "user", "content": picture})];
        mark(&mut messages);
        assert_eq!(messages[0]["content"], picture);
    }
}
