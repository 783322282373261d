//! One line of a transcript of Claude Code.

use serde::Deserialize;
use serde_json::Value;

use super::content::{is_set, text};

/// Types of lines that say nothing of the conversation.
const OTHER_TYPES: [&str; 22] = [
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "attachment",
    "attribution-snapshot",
    "content-replacement",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "speculation-accept",
    "summary",
    "system",
    "tag",
    "task-summary",
    "worktree-state",
];

/// The facts that an index of the lines needs of one line.
#[derive(Debug)]
pub(super) struct ClaudeLine {
    pub(super) kind: LineKind,
    pub(super) uuid: Option<String>,
    /// The line before in the conversation; empty if the line does not say, `None` for a first one.
    pub(super) parent: Option<String>,
    /// The id of the conversation.
    pub(super) session: Option<String>,
    /// The id of the model's answer, of which each line has a part.
    pub(super) message_id: Option<String>,
    /// The calls in it.
    pub(super) calls: Vec<String>,
    /// The calls whose results it has.
    pub(super) results: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A message of the conversation.
    Message,
    /// A message of an agent that the conversation has called.
    Sidechain,
    /// A line of a known type that says nothing of the conversation.
    Other,
    Unknown,
}

/// The ids that connect the lines before one with those after it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    uuid: Option<String>,
    parent_uuid: Option<String>,
    logical_parent_uuid: Option<String>,
    session_id: Option<String>,
}

/// Returns whether Claude Code has written this line.
pub(super) fn is_one(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    match text(value, "type") {
        Some("user" | "assistant") => has("message") && has("uuid"),
        Some("summary") => has("leafUuid"),
        Some(kind) => OTHER_TYPES.contains(&kind) && has("sessionId"),
        None => false,
    }
}

/// The id of the conversation that a line belongs to.
pub(super) fn id(value: &Value) -> Option<String> {
    text(value, "sessionId").map(str::to_owned)
}

impl ClaudeLine {
    pub(super) fn new(value: &Value) -> Self {
        let owned = |name: &str| text(value, name).map(str::to_owned);
        let message = value.get("message").unwrap_or(&Value::Null);
        let ids = |kind: &str, name: &str| {
            let blocks = message.get("content").and_then(Value::as_array);
            let blocks = blocks.map(Vec::as_slice).unwrap_or_default().iter();
            let found = blocks.filter(|block| text(block, "type") == Some(kind));
            found
                .filter_map(|block| text(block, name).map(str::to_owned))
                .collect()
        };
        Self {
            kind: LineKind::of(value),
            uuid: owned("uuid"),
            // Before a summary the conversation goes on from another line.
            parent: owned("parentUuid")
                .or_else(|| owned("logicalParentUuid"))
                .or_else(|| (value.get("parentUuid") != Some(&Value::Null)).then(String::new)),
            session: id(value),
            message_id: text(message, "id").map(str::to_owned),
            calls: ids("tool_use", "id"),
            results: ids("tool_result", "tool_use_id"),
        }
    }

    /// A line of which nothing else is read: the path goes on through it.
    pub(super) fn link(line: &[u8]) -> Option<Self> {
        let link: Link = serde_json::from_slice(line).ok()?;
        Some(Self {
            kind: LineKind::Unknown,
            uuid: link.uuid,
            parent: link.parent_uuid.or(link.logical_parent_uuid),
            session: link.session_id,
            message_id: None,
            calls: Vec::new(),
            results: Vec::new(),
        })
    }
}

impl LineKind {
    fn of(value: &Value) -> Self {
        match text(value, "type") {
            Some("user" | "assistant") if is_set(value, "isSidechain") => Self::Sidechain,
            Some("user" | "assistant") if value.get("message").is_some_and(Value::is_object) => {
                Self::Message
            }
            Some(kind) if OTHER_TYPES.contains(&kind) => Self::Other,
            _ => Self::Unknown,
        }
    }
}
