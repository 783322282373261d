//! Prompt caching: the key that routes a conversation to its cache, and the marks for Claude.

use scorel_engine::ModelRequest;
use scorel_proto::{Block, Message};
use serde_json::{Value, json};

use super::dialect::ChatEndpoint;
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

/// Claude caches only marked content, also behind a router; other models cache by themselves.
///
/// The system prompt and the last text of the user or the model are marked: the prefix that the next
/// request repeats.
pub(super) fn wants_marks(endpoint: &ChatEndpoint) -> bool {
    endpoint.dialect.cache_marks && endpoint.model.id.contains("claude")
}

/// Returns whether a message is one that is marked if it is the last such one.
pub(super) fn takes_mark(message: &Value) -> bool {
    let role = message["role"].as_str().unwrap_or_default();
    ["user", "assistant"].contains(&role) && ends_with_text(message)
}

/// Only text parts take the mark.
fn ends_with_text(message: &Value) -> bool {
    let text = match &message["content"] {
        Value::Array(parts) => parts.last().and_then(|part| part["text"].as_str()),
        content => content.as_str(),
    };
    text.is_some_and(|text| !text.is_empty())
}

/// The message with a mark at its end, which has to be a text.
pub(super) fn marked(mut message: Value) -> Value {
    let content = &mut message["content"];
    if content.is_string() {
        *content = json!([{"type": "text", "text": content.take()}]);
    }
    if let Some(part) = content.as_array_mut().and_then(|parts| parts.last_mut()) {
        part["cache_control"] = json!({"type": "ephemeral"});
    }
    message
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{marked, takes_mark};

    #[test]
    fn texts_of_the_user_and_the_model_are_marked() {
        let message = json!({"role": "user", "content": "look"});
        assert!(takes_mark(&message));
        let mark = json!({"type": "ephemeral"});
        assert_eq!(
            marked(message)["content"],
            json!([{"type": "text", "text": "look", "cache_control": mark}])
        );
    }

    #[test]
    fn a_message_without_text_at_its_end_is_not_marked() {
        let picture = json!([{"type": "image_url", "image_url": {"url": "data:"}}]);
        for message in [
            json!({"role": "user", "content": picture}),
            json!({"role": "assistant", "content": null, "tool_calls": []}),
            json!({"role": "tool", "tool_call_id": "1", "content": "seen"}),
        ] {
            assert!(!takes_mark(&message), "{message}");
        }
    }
}
