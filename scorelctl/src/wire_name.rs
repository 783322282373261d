use serde::Serialize;

/// The name that the protocol gives a value of an enum without fields.
pub(crate) fn wire_name(value: impl Serialize) -> String {
    let name = serde_json::to_value(value).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}
