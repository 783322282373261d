use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The SHA-256 of the canonical JSON of a value: keys in order, no blanks. The order of keys in a file means
/// nothing.
pub(super) fn digest(value: &Value) -> String {
    format!("{:x}", Sha256::digest(sorted(value).to_string()))
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| *key);
            let fields = fields.into_iter();
            Value::Object(fields.map(|(key, it)| (key.clone(), sorted(it))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_keys_does_not_count() {
        let one = json!({"a": [{"x": 1, "y": "\n"}], "b": null});
        let other = json!({"b": null, "a": [{"y": "\n", "x": 1}]});
        assert_eq!(digest(&one), digest(&other));
        assert_ne!(digest(&one), digest(&json!({"a": [{"x": 1, "y": "\n"}]})));
    }
}
