//! Parts of messages that both tools write in the same way.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use jiff::Timestamp;
use scorel_proto::{Block, ImportReport};
use serde_json::{Map, Value};

use super::item::TranscriptSink;

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

/// An image in base64, whatever it says that it is. One that no model reads becomes that type as text.
pub(super) fn image<S: TranscriptSink>(
    (media_type, data): (&str, &str),
    sink: &mut S,
    report: &mut ImportReport,
) -> Result<Block, S::Error> {
    if let Ok(bytes) = BASE64.decode(data)
        && let Some((media_type, blob)) = sink.image(&bytes)?
    {
        report.images += 1;
        let media_type = media_type.to_owned();
        return Ok(Block::Image { media_type, blob });
    }
    report.dropped_images += 1;
    Ok(Block::text(format!("[{media_type}]")))
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
