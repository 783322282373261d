use agent_client_protocol_schema::v1::{ContentBlock, ContentChunk, SessionUpdate};

/// A text of this program in the conversation.
pub(crate) fn note(text: &str) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(ContentChunk::new(ContentBlock::from(text)))
}
