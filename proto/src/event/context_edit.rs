use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::EventId;

/// Body of `context_edit`: a hook changed what the model reads of messages. The messages in the log stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextEditBody {
    /// The hook.
    pub by: String,
    /// The changes, in their order: of two about the same message the last counts.
    pub ops: Vec<ContextOp>,
}

/// A change to one message, as the model reads it. It counts wherever the message is on the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum ContextOp {
    /// The model reads it no more. An answer or a tool's result cannot be hidden.
    Hide {
        /// The `message` or `custom_message` event.
        event_id: EventId,
        /// Always `true`.
        hide: Hidden,
    },
    /// A text takes the place of its content. An answer cannot be replaced.
    Replace {
        /// The `message` or `custom_message` event.
        event_id: EventId,
        /// The text.
        text: String,
    },
}

impl ContextOp {
    /// The change that hides a message.
    pub const fn hide(event_id: EventId) -> Self {
        let hide = Hidden;
        Self::Hide { event_id, hide }
    }

    /// The change that puts a text in the place of a message's content.
    pub fn replace(event_id: EventId, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::Replace { event_id, text }
    }

    /// The event whose message is changed.
    pub const fn event_id(&self) -> EventId {
        match self {
            Self::Hide { event_id, .. } | Self::Replace { event_id, .. } => *event_id,
        }
    }
}

/// `true` in JSON: there is no change that shows a message again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "bool", into = "bool")]
#[schemars(with = "bool")]
pub struct Hidden;

impl From<Hidden> for bool {
    fn from(_: Hidden) -> Self {
        true
    }
}

impl TryFrom<bool> for Hidden {
    type Error = &'static str;

    fn try_from(hide: bool) -> Result<Self, Self::Error> {
        hide.then_some(Self).ok_or("`hide` can only be `true`")
    }
}
