use scorel_proto::{ToolResultMessage, ToolStartedBody};
use serde::Serialize;
use serde_json::Value;

use super::chat_message::text_of;

/// A tool call of a model, as it ran.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditToolRun {
    pub tool_call_id: String,
    /// `fs_read` and its like as `fs.read`.
    pub tool_name: String,
    pub args: Value,
    /// The result's JSON, or its text; absent if the log has none.
    pub result: Option<Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Between the record of its beginning and that of its result; absent for a call that did not run.
    pub duration_ms: Option<u64>,
    #[serde(skip)]
    started_at: Option<u64>,
}

impl AuditToolRun {
    /// The call as the model made it.
    pub(super) fn called(id: &str, name: &str, args: &Value) -> Self {
        Self {
            tool_call_id: id.to_owned(),
            tool_name: shown_name(name),
            args: args.clone(),
            result: None,
            is_error: false,
            duration_ms: None,
            started_at: None,
        }
    }

    /// It began, at `ts`, with other arguments if hooks have changed them.
    pub(super) fn started(&mut self, body: &ToolStartedBody, ts: u64) {
        self.tool_name = shown_name(&body.tool_name);
        if let Some(input) = &body.input {
            self.args = input.clone();
        }
        self.started_at = Some(ts);
    }

    pub(super) fn ended(&mut self, message: &ToolResultMessage, ts: u64) {
        let text = text_of(&message.result().content);
        self.result = Some(serde_json::from_str(&text).unwrap_or(Value::String(text)));
        self.is_error = message.result().is_error;
        self.duration_ms = self.started_at.map(|started| ts.saturating_sub(started));
    }
}

/// Names with dots are not legal in requests, so the tools of a run have others there.
fn shown_name(name: &str) -> String {
    match name.strip_prefix("fs_") {
        Some(rest) => format!("fs.{rest}"),
        None => name.to_owned(),
    }
}
