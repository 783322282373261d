use scorel_proto::{Message, PersistentBody, PersistentEvent};
use serde::Deserialize;

/// The state that a call of a model has given a document, as its result says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PatchedState {
    pub(crate) tool_call_id: String,
    pub(crate) state: ToldState,
}

/// `state` in the details of a result.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToldState {
    pub(crate) sha256: String,
    pub(crate) current_node_id: String,
    #[serde(default)]
    pub(crate) from: Option<String>,
    #[serde(default)]
    pub(crate) label: Option<String>,
}

impl PatchedState {
    /// Of the result of a call that has changed the document; `None` for all other records.
    pub(crate) fn of(event: &PersistentEvent) -> Option<Self> {
        let PersistentBody::Message(body) = &event.body else {
            return None;
        };
        let Message::ToolResult(message) = &body.message else {
            return None;
        };
        let result = message.result();
        let state = result.details.as_ref()?.get("state")?;
        Some(Self {
            tool_call_id: result.tool_use_id.clone(),
            state: ToldState::deserialize(state).ok()?,
        })
    }
}
