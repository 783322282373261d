use scorel_proto::{Block, RecordedFiles};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// How a call ended.
///
/// `details` has one shape for all tools, which clients rely on: `{"ok": true, …}` with the fields of
/// the result, or `{"ok": false, "error": {"code", "message", "details"?}}`.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// Text and images for the model.
    pub content: Vec<Block>,
    /// True if the call failed.
    pub is_error: bool,
    /// The result for user interfaces; never sent to the model.
    pub details: Option<Value>,
    /// The files that the call changed.
    pub recorded: Box<RecordedFiles>,
}

impl ToolOutcome {
    /// A success: `text` for the model, the fields of `figures` for user interfaces.
    pub fn success(text: impl Into<String>, figures: &impl Serialize) -> Self {
        let mut details = Map::new();
        details.insert("ok".to_owned(), Value::Bool(true));
        if let Ok(Value::Object(fields)) = serde_json::to_value(figures) {
            details.extend(fields);
        }
        Self {
            content: vec![Block::text(text)],
            is_error: false,
            details: Some(Value::Object(details)),
            recorded: Box::default(),
        }
    }

    /// A failure with a stable `code`, a message for the model and further facts for user
    /// interfaces.
    pub fn failure(code: &str, message: &str, facts: Map<String, Value>) -> Self {
        let mut error = json!({ "code": code, "message": message });
        if !facts.is_empty() {
            error["details"] = Value::Object(facts);
        }
        Self {
            details: Some(json!({ "ok": false, "error": error })),
            ..Self::error(format!("{code}: {message}"))
        }
    }

    /// Its text, for the model.
    pub(crate) fn text(&self) -> String {
        Block::plain_text_of(&self.content)
    }

    /// The message of a failure with this code.
    pub(super) fn message_of(&self, code: &str) -> Option<&str> {
        let error = self.details.as_ref()?.get("error")?;
        error["message"].as_str().filter(|_| error["code"] == code)
    }

    /// A failure with a text for the model and no details: the call was not run.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            content: vec![Block::text(text)],
            is_error: true,
            details: None,
            recorded: Box::default(),
        }
    }
}
