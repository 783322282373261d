//! Looking at values of which not everything is known.

use scorel_engine::{RunnerError, RunnerErrorKind};
use serde_json::Value;

use scorel_proto::Block;

pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

pub(super) fn owned(value: &Value, field: &str) -> String {
    text(value, field).to_owned()
}

/// The elements of a list; none of anything else.
pub(super) fn elements(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
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

/// A message of an agent as what the protocol says it is.
pub(super) fn parsed<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, RunnerError> {
    serde_json::from_value(value).map_err(|error| {
        let message = format!("the agent sent what the protocol does not know: {error}");
        RunnerError::new(RunnerErrorKind::Protocol, message)
    })
}
