use serde_json::Value;

/// The string, or `""` for anything else.
pub(crate) fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The string unless it is empty: providers send `""` and leave fields out interchangeably.
pub(crate) fn non_empty(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// The JSON text of a call's arguments. Some compatible servers send the object itself instead of
/// its text.
pub(crate) fn arguments_text(arguments: &Value) -> Option<String> {
    match arguments {
        Value::String(text) => Some(text.clone()),
        object @ Value::Object(_) => Some(object.to_string()),
        _ => None,
    }
}
