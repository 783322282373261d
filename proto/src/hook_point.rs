use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Block, CustomMessageBody, InternalMessage, Message, Meta};

/// The beginning of the `kind` of a hook's message; the hook's name follows.
const KIND: &str = "hook.";

/// A moment at which hooks may change what the model reads.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum HookPoint {
    /// Before the first model call of a turn.
    Start,
    /// Before each later model call.
    Call,
    /// Before older messages are summarised, or results shortened.
    Trim,
    /// When a turn would end.
    End,
    /// Last before a request, with the messages that no request has had.
    Send,
}

impl CustomMessageBody {
    /// A hook's text for the model.
    pub fn of_hook(hook: &str, point: HookPoint, text: impl Into<String>) -> Self {
        Self {
            kind: format!("{KIND}{hook}"),
            message: Message::Internal(InternalMessage {
                content: vec![Block::text(text)],
                meta: Meta::default(),
            }),
            data: Some(json!({ "point": point })),
            queue_item_id: None,
        }
    }

    /// The point at which a hook has added it; `None` if another party has.
    pub fn hook_point(&self) -> Option<HookPoint> {
        self.kind.strip_prefix(KIND)?;
        HookPoint::deserialize(self.data.as_ref()?.get("point")?).ok()
    }
}
