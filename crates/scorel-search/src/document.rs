//! The text of a record that is searched.

use scorel_proto::{
    Block, Event, EventId, Message, PersistentBody, PersistentEvent, Role, opening,
};
use serde_json::Value;

use crate::limits::MAX_INPUT_BYTES;
use crate::text_cut::boundary_before;

/// The part of a record that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentScope {
    /// The texts of users and models, with the beginning of the input of each tool call.
    Words,
    /// All of that, and what tools and the daemon wrote.
    Everything,
}

/// A record with text in it.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) event_id: EventId,
    /// The time in milliseconds since 1970.
    pub(crate) ts: u64,
    /// `None` for a title.
    pub(crate) role: Option<Role>,
    pub(crate) text: String,
}

/// The facts of a record about its session.
#[derive(Debug, Default)]
pub(crate) struct SessionFacts {
    pub(crate) title: Option<String>,
    /// The text that stands in for a title.
    pub(crate) opening: Option<String>,
    pub(crate) archived: Option<bool>,
}

impl Document {
    /// The document of a log's line; `None` if it has none in this scope.
    pub(crate) fn of_line(line: &str, scope: DocumentScope) -> Option<Self> {
        Self::of(&*decode(line, scope)?, scope)
    }

    pub(crate) fn of(event: &PersistentEvent, scope: DocumentScope) -> Option<Self> {
        let (role, text) = match &event.body {
            PersistentBody::Message(body) => {
                (Some(body.message.role()), text(&body.message, scope)?)
            }
            PersistentBody::CustomMessage(body) => {
                (Some(body.message.role()), text(&body.message, scope)?)
            }
            PersistentBody::SessionInfo(body) => (None, body.changes.title.clone()?),
            _ => return None,
        };
        let document = Self {
            event_id: event.id,
            ts: event.ts,
            role,
            text,
        };
        (!document.text.is_empty()).then_some(document)
    }
}

impl SessionFacts {
    pub(crate) fn of(event: &PersistentEvent) -> Self {
        match &event.body {
            PersistentBody::SessionInfo(body) => Self {
                title: body.changes.title.clone(),
                archived: body.changes.archived,
                opening: None,
            },
            PersistentBody::Message(body) => Self {
                opening: match &body.message {
                    Message::User(message) => opening(&message.content),
                    _ => None,
                },
                ..Self::default()
            },
            _ => Self::default(),
        }
    }
}

/// Decodes a line if it can have a document. Most of a log is what tools wrote, which is not decoded for
/// nothing.
pub(crate) fn decode(line: &str, scope: DocumentScope) -> Option<Box<PersistentEvent>> {
    if !may_have_document(line, scope) {
        return None;
    }
    match Event::decode(line) {
        Ok(Event::Persistent(event)) => Some(event),
        _ => None,
    }
}

/// In a text of the record these would have backslashes before the quotation marks.
fn may_have_document(line: &str, scope: DocumentScope) -> bool {
    const TYPES: [&str; 3] = [
        "\"type\":\"message\"",
        "\"type\":\"custom_message\"",
        "\"type\":\"session_info\"",
    ];
    // The first one is the event's own: nothing before it has a message in it.
    const MESSAGE: &str = "\"message\":{\"role\":\"";
    if !TYPES.iter().any(|name| line.contains(name)) {
        return false;
    }
    let of_tool = line
        .split_once(MESSAGE)
        .is_some_and(|(_, rest)| rest.starts_with("tool_result\""));
    scope == DocumentScope::Everything || !of_tool
}

fn text(message: &Message, scope: DocumentScope) -> Option<String> {
    let mut text = String::new();
    match (message, scope) {
        (Message::User(message), _) => add_blocks(&message.content, scope, &mut text),
        (Message::Assistant(message), _) => add_blocks(&message.content, scope, &mut text),
        (_, DocumentScope::Words) => return None,
        (Message::Internal(message), _) => add_blocks(&message.content, scope, &mut text),
        (Message::ToolResult(message), _) => {
            add_blocks(&message.result().content, scope, &mut text);
        }
    }
    Some(text)
}

/// Appends the texts of blocks. They can be megabytes, so none is copied twice.
fn add_blocks(blocks: &[Block], scope: DocumentScope, text: &mut String) {
    for block in blocks {
        match block {
            Block::Text { text: part, .. } => add_line(part, text),
            Block::Blob { preview, .. } => add_line(preview, text),
            Block::ToolUse {
                input,
                invalid_input,
                ..
            } => {
                let begin = text.len();
                if let Some(invalid) = invalid_input {
                    add_line(invalid, text);
                }
                add_leaves(input, text);
                if scope == DocumentScope::Words {
                    text.truncate(boundary_before(text, begin + MAX_INPUT_BYTES));
                }
            }
            Block::ToolResult(result) => add_blocks(&result.content, scope, text),
            // Like the output of a tool: the content of a file is not the user's words.
            Block::Attachment(file) => {
                add_line(&file.path, text);
                if scope == DocumentScope::Everything {
                    add_blocks(&file.content, scope, text);
                }
            }
            Block::Thinking { .. } | Block::Image { .. } => {}
        }
    }
}

/// Appends the texts and numbers in a tool's input, one per line.
fn add_leaves(value: &Value, text: &mut String) {
    match value {
        Value::String(leaf) => add_line(leaf, text),
        Value::Number(leaf) => add_line(&leaf.to_string(), text),
        Value::Array(values) => values.iter().for_each(|value| add_leaves(value, text)),
        Value::Object(fields) => fields.values().for_each(|value| add_leaves(value, text)),
        Value::Null | Value::Bool(_) => {}
    }
}

fn add_line(leaf: &str, text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(leaf);
}
