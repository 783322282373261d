//! The `details` of a call that worked.

use serde::Serialize;
use serde_json::{Map, Value};

/// `{ok: true, ...}` with the fields of `figures`.
pub(crate) fn success(figures: &impl Serialize) -> Value {
    let mut details = Map::new();
    details.insert("ok".to_owned(), Value::Bool(true));
    if let Ok(Value::Object(fields)) = serde_json::to_value(figures) {
        details.extend(fields);
    }
    Value::Object(details)
}
