//! Looking at values of which not everything is known.

use serde_json::Value;

use scorel_proto::Block;

pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

pub(super) fn owned(value: &Value, field: &str) -> String {
    text(value, field).to_owned()
}

pub(super) fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_default()
}

/// Content as a text block; none if there is no text.
pub(super) fn text_block(text: impl Into<String>) -> Vec<Block> {
    let text = text.into();
    if text.is_empty() {
        return Vec::new();
    }
    vec![Block::text(text)]
}
