use std::sync::{Arc, OnceLock};

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

/// Bytes of a schema.
const MAX_BYTES: usize = 64 * 1024;

/// Nesting of a schema.
const MAX_DEPTH: usize = 32;

/// The schema of a tool's arguments: an object's, without references to elsewhere.
#[derive(Debug)]
pub struct ToolSchema {
    json: Arc<Value>,
    /// Made when arguments are checked first: most tools of a large set are never called.
    validator: OnceLock<Result<Validator, String>>,
}

impl ToolSchema {
    /// A schema that a stranger has written. The error is a sentence without its full stop.
    pub fn new(json: Value) -> Result<Self, String> {
        if json["type"] != "object" {
            return Err("it is the schema of an object: `type` is `object`".to_owned());
        }
        if depth(&json) > MAX_DEPTH || json.to_string().len() > MAX_BYTES {
            return Err(format!(
                "a schema has at most {MAX_DEPTH} levels and {MAX_BYTES} bytes"
            ));
        }
        if refers_elsewhere(&json) {
            return Err("`$ref` may only name a part of the schema itself, as `#/…`".to_owned());
        }
        let schema = Self::accepted(json);
        match schema.validator() {
            Ok(_) => Ok(schema),
            Err(reason) => Err(reason.to_owned()),
        }
    }

    /// A schema that was accepted before.
    pub fn accepted(json: Value) -> Self {
        Self {
            json: Arc::new(json),
            validator: OnceLock::new(),
        }
    }

    /// The schema, for the model.
    pub const fn json(&self) -> &Arc<Value> {
        &self.json
    }

    /// Why arguments do not fit: a field, if one is at fault, and a sentence.
    pub fn check(&self, arguments: &Value) -> Result<(), (Option<String>, String)> {
        let validator = self
            .validator()
            .map_err(|reason| (None, reason.to_owned()))?;
        validator.validate(arguments).map_err(|error| {
            let path = error.instance_path().to_string();
            let field = path.trim_start_matches('/').replace('/', ".");
            ((!field.is_empty()).then_some(field), error.to_string())
        })
    }

    fn validator(&self) -> Result<&Validator, &str> {
        let built = self.validator.get_or_init(|| {
            let options = jsonschema::options().with_draft(Draft::Draft202012);
            // One that never backtracks: a schema of a stranger judges what a model writes.
            let options = options.with_pattern_options(PatternOptions::regex());
            let built = options.build(&self.json);
            built.map_err(|error| format!("it is not a JSON Schema: {error}"))
        });
        built.as_ref().map_err(String::as_str)
    }
}

fn depth(json: &Value) -> usize {
    match json {
        Value::Array(values) => 1 + values.iter().map(depth).max().unwrap_or_default(),
        Value::Object(entries) => 1 + entries.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

fn refers_elsewhere(json: &Value) -> bool {
    match json {
        Value::Array(values) => values.iter().any(refers_elsewhere),
        Value::Object(entries) => entries.iter().any(|(key, value)| {
            let is_reference = matches!(key.as_str(), "$ref" | "$dynamicRef");
            let is_elsewhere = value.as_str().is_some_and(|place| !place.starts_with('#'));
            (is_reference && is_elsewhere) || refers_elsewhere(value)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_held_to_the_schema() {
        let schema = ToolSchema::new(json!({
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        }));
        let schema = schema.unwrap();
        schema.check(&json!({"text": "a"})).unwrap();
        let (field, _) = schema.check(&json!({"text": 1})).unwrap_err();
        assert_eq!(field.as_deref(), Some("text"));
        let (field, reason) = schema.check(&json!({})).unwrap_err();
        assert_eq!(field, None);
        assert!(reason.contains("text"), "{reason}");
    }

    #[test]
    fn a_schema_of_a_stranger_is_bounded_and_stands_alone() {
        let elsewhere = json!({"type": "object", "properties": {"a": {"$ref": "https://a/b"}}});
        assert!(ToolSchema::new(elsewhere).unwrap_err().contains("$ref"));
        let deep = (0..40).fold(
            json!({}),
            |inner, _| json!({"properties": {"a": inner}, "type": "object"}),
        );
        assert!(ToolSchema::new(deep).unwrap_err().contains("levels"));
        ToolSchema::new(json!({"type": "array"})).unwrap_err();
    }
}
