use scorel_proto::{ClientId, CommandId, EventId, PersistentBody, TurnId};

use crate::MutationCommand;

/// A persistent event before the commit path gives it its seq, parent and time.
#[derive(Debug, Clone)]
pub struct EventDraft {
    pub(super) id: EventId,
    pub(super) client_id: ClientId,
    pub(super) turn_id: Option<TurnId>,
    pub(super) command_id: Option<CommandId>,
    pub(super) digest: Option<String>,
    /// Where to attach, unless at the active leaf. The inner `None` is the root.
    pub(super) parent: Option<Option<EventId>>,
    pub(super) body: PersistentBody,
}

impl EventDraft {
    /// An event by the daemon itself, outside any turn.
    pub fn new(body: PersistentBody) -> Self {
        Self {
            id: EventId::generate(),
            client_id: ClientId::Daemon,
            turn_id: None,
            command_id: None,
            digest: None,
            parent: None,
            body,
        }
    }

    pub(crate) const fn id(&self) -> EventId {
        self.id
    }

    /// Uses an id that clients already know, from `message_start` or `tool_execution_start`.
    #[must_use]
    pub fn with_id(mut self, id: EventId) -> Self {
        self.id = id;
        self
    }

    /// Makes the event one of a turn, if it is in one.
    #[must_use]
    pub fn in_turn(mut self, turn_id: impl Into<Option<TurnId>>) -> Self {
        self.turn_id = turn_id.into();
        self
    }

    /// Makes the event the receipt of `command`.
    #[must_use]
    pub fn by(mut self, command: &MutationCommand) -> Self {
        self.client_id = command.client_id;
        self.command_id.clone_from(&command.id);
        self.digest = command.id.is_some().then(|| command.digest.clone());
        self
    }

    /// Names the author without making the event a receipt.
    #[must_use]
    pub fn authored_by(mut self, client_id: ClientId) -> Self {
        self.client_id = client_id;
        self
    }
}
