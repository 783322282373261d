use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

/// A message of a request.
///
/// Most messages of a long conversation are one text. These are borrowed from the context and
/// written straight into the body: a tree of JSON values would copy each text twice and take a
/// dozen allocations a message.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ChatMessage<'a> {
    Text {
        role: ChatRole,
        content: Cow<'a, str>,
    },
    ToolResult {
        role: ChatRole,
        tool_call_id: Cow<'a, str>,
        content: Cow<'a, str>,
    },
    Object(Value),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChatRole {
    System,
    User,
    Assistant,
    Tool,
}

impl<'a> ChatMessage<'a> {
    pub(super) fn text(role: ChatRole, content: impl Into<Cow<'a, str>>) -> Self {
        let content = content.into();
        Self::Text { role, content }
    }

    pub(super) const fn tool_result(tool_call_id: Cow<'a, str>, content: Cow<'a, str>) -> Self {
        Self::ToolResult {
            role: ChatRole::Tool,
            tool_call_id,
            content,
        }
    }

    /// A user message of several parts.
    pub(super) fn user_parts(parts: Vec<Value>) -> Self {
        let mut message = json!({"role": "user"});
        message["content"] = Value::Array(parts);
        Self::Object(message)
    }

    pub(super) const fn is_tool_result(&self) -> bool {
        matches!(self, Self::ToolResult { .. })
    }
}
