//! Parts of messages that both tools write in the same way.

use jiff::Timestamp;
use scorel_proto::Block;
use serde_json::{Map, Value};

/// A moment as the tools write it, in milliseconds since 1970.
pub(super) fn time(value: &Value) -> Option<u64> {
    let moment: Timestamp = value.get("timestamp")?.as_str()?.parse().ok()?;
    u64::try_from(moment.as_millisecond()).ok()
}

/// The field as text.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// Returns whether the field is `true`.
pub(super) fn is_set(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// A call. Arguments that are no JSON object are kept as text.
pub(super) fn call(id: &str, name: &str, input: Value) -> Block {
    let (input, invalid_input) = match input {
        Value::Object(_) => (input, None),
        Value::String(text) => (Value::Object(Map::new()), Some(text)),
        other => (Value::Object(Map::new()), Some(other.to_string())),
    };
    Block::ToolUse {
        id: id.to_owned(),
        name: name.to_owned(),
        input,
        invalid_input,
        provider: None,
    }
}

/// Reasoning. Its signature, if there was one, is worth nothing to another session.
pub(super) fn thinking(text: &str) -> Option<Block> {
    let is_there = !text.trim().is_empty();
    is_there.then(|| Block::Thinking {
        text: text.to_owned(),
        signature: None,
        redacted: false,
        provider: None,
    })
}
