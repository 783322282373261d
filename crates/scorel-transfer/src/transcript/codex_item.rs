//! One line of a rollout of Codex.

use serde_json::Value;

use super::content::text;

/// Types of items that say nothing of the conversation, or that no other model reads.
const OTHER_ITEMS: [&str; 10] = [
    "additional_tools",
    "agent_message",
    "compaction",
    "compaction_summary",
    "context_compaction",
    "ghost_snapshot",
    "image_generation_call",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
];

/// Types of items of the conversation.
const ITEMS: [&str; 7] = [
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
];

/// Types of lines besides those with an item.
const OTHER_LINES: [&str; 6] = [
    "session_meta",
    "token_usage_record",
    "turn_context",
    "world_state",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
];

/// Texts with which messages begin that the program wrote in the user's place.
const NOT_THE_USERS: [&str; 6] = [
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<subagent_notification>",
    "# AGENTS.md instructions",
    "<skill>",
];

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CodexLine<'a> {
    /// An item of the conversation.
    Item(&'a Value),
    /// A summary of everything before it.
    Compacted(&'a Value),
    /// An event of the program.
    Event(&'a Value),
    /// A line of a known type that says nothing of the conversation.
    Other,
    Unknown(Option<&'a str>),
}

impl<'a> CodexLine<'a> {
    /// Reads a line. Old versions wrote items without anything around them.
    pub(super) fn new(line: &'a Value) -> Self {
        let kind = text(line, "type");
        let Some(payload) = line.get("payload") else {
            return match kind {
                Some(kind) => Self::item(kind, line),
                None if line.get("record_type").is_some() || is_first(line) => Self::Other,
                None => Self::Unknown(None),
            };
        };
        match kind {
            Some("response_item") => match text(payload, "type") {
                Some(kind) => Self::item(kind, payload),
                None => Self::Unknown(Some("response_item")),
            },
            Some("compacted") => Self::Compacted(payload),
            Some("event_msg") => Self::Event(payload),
            Some(kind) if OTHER_LINES.contains(&kind) => Self::Other,
            kind => Self::Unknown(kind),
        }
    }

    fn item(kind: &'a str, item: &'a Value) -> Self {
        if ITEMS.contains(&kind) {
            Self::Item(item)
        } else if OTHER_ITEMS.contains(&kind) {
            Self::Other
        } else {
            Self::Unknown(Some(kind))
        }
    }
}

/// Returns whether Codex has written this line.
pub(super) fn is_one(value: &Value) -> bool {
    let is_new = value.get("payload").is_some() && value.get("timestamp").is_some();
    let kind = text(value, "type").unwrap_or_default();
    let is_item = ITEMS.contains(&kind) && value.get("message").is_none();
    (is_new && (OTHER_LINES.contains(&kind) || kind == "response_item"))
        || (kind.is_empty() && is_first(value))
        || is_item
}

/// The id of the conversation, from its first line.
pub(super) fn id(value: &Value) -> Option<String> {
    let about = match text(value, "type") {
        Some("session_meta") => value.get("payload")?,
        None if is_first(value) => value,
        _ => return None,
    };
    text(about, "id").map(str::to_owned)
}

/// Returns whether it is the first line as old versions wrote it.
fn is_first(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("id") && has("timestamp") && (has("instructions") || has("git"))
}

/// Returns whether an item is a message that a person wrote.
pub(super) fn is_users(item: &Value) -> bool {
    if text(item, "type") != Some("message") || text(item, "role") != Some("user") {
        return false;
    }
    let parts = item.get("content").and_then(Value::as_array);
    let first = parts.and_then(|parts| parts.first());
    let opening = first
        .and_then(|part| text(part, "text"))
        .unwrap_or_default();
    let opening = opening.trim_start();
    !NOT_THE_USERS.iter().any(|start| opening.starts_with(start))
}
