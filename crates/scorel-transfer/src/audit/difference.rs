use scorel_proto::EventId;
use serde::Serialize;

/// A part of a request that is not what it was, as far as hashes tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(
    tag = "where",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Difference {
    /// The record of the answer has no hash: the daemon ended before the answer did.
    NotRecorded,
    /// The blob with the tools is missing.
    ToolsMissing,
    /// The blob with the tools has another content.
    Tools,
    /// The system prompt is not that of the last request that was proved, and no other record has brought it.
    System,
    /// One of these messages, or what edits them: those before `first` are proved by an earlier request.
    Messages {
        /// The first place, from 0, behind the system prompt.
        first: usize,
        /// The last place.
        last: usize,
        /// The records of these messages.
        event_ids: Vec<EventId>,
    },
    /// Nothing that an earlier request has not proved: the recorded hash is what was changed.
    Record,
    /// The record of the call says something else of the request than that of its answer.
    EngineTurn,
}
