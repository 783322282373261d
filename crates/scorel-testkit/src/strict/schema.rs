//! Rules for names, schemas and ids that the APIs share.

use serde_json::Value;

use super::rules::{CheckResult, ensure};

pub(super) fn tool_name(value: &Value) -> Result<&str, String> {
    let name = value.as_str().unwrap_or_default();
    ensure((1..=64).contains(&name.len()) && is_plain(name), || {
        format!("tool name {name:?} does not match ^[a-zA-Z0-9_-]{{1,64}}$")
    })?;
    Ok(name)
}

pub(super) fn parameters(schema: &Value) -> CheckResult {
    ensure(schema["type"] == "object", || {
        format!("a tool's schema must have type object, not {schema}")
    })
}

pub(super) fn call_id(value: &Value, longest: usize) -> Result<&str, String> {
    let id = value.as_str().unwrap_or_default();
    ensure((1..=longest).contains(&id.len()), || {
        format!("call id {id:?} must have 1 to {longest} characters")
    })?;
    Ok(id)
}

/// Arguments must be the text of a JSON object.
pub(super) fn arguments(value: &Value) -> CheckResult {
    let parsed = serde_json::from_str::<Value>(value.as_str().unwrap_or_default());
    ensure(parsed.is_ok_and(|parsed| parsed.is_object()), || {
        format!("arguments must be the text of a JSON object, not {value}")
    })
}

/// `^[a-zA-Z0-9_-]*$`
pub(super) fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    text.bytes().all(plain)
}

/// An image must be a base64 data URL.
pub(super) fn data_url(value: &Value) -> CheckResult {
    let url = value.as_str().unwrap_or_default();
    ensure(
        url.starts_with("data:image/") && url.contains(";base64,"),
        || format!("an image must be a data URL, not {url:?}"),
    )
}
