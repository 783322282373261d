use scorel_proto::{QueueItemMeta, RunMode};

/// A message that begins a turn, besides its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpeningMessage {
    /// True if a person has written it; unset for those of the daemon, of clients' programs and of agents.
    pub is_typed: bool,
    /// Its purpose in a session that has a run, if it has one of its own.
    pub mode: Option<RunMode>,
    /// True if it does not follow the active leaf: the model may not have what it was told there.
    pub is_elsewhere: bool,
}

impl OpeningMessage {
    /// A message of the queue.
    pub(super) fn of(meta: Option<&QueueItemMeta>) -> Self {
        Self {
            is_typed: meta.is_none_or(|meta| meta.custom.is_none() && meta.runtime_id.is_none()),
            mode: meta.and_then(|meta| meta.mode),
            is_elsewhere: false,
        }
    }
}
