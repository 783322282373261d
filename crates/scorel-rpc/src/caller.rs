use scorel_proto::{ClientId, SessionId, TurnId};

use crate::AccessLevel;

/// The peer of a connection, as authenticated by its transport.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Principal {
    /// A process of a user of this machine.
    LocalUser { uid: u32 },
    /// The foreign agent that runs a turn, on a socket of the turn.
    Turn {
        session_id: SessionId,
        turn_id: TurnId,
    },
}

/// The identity and rights of a caller, set by the listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub principal: Principal,
    /// Authenticated by the transport, or else claimed by the client.
    pub client_id: Option<ClientId>,
    pub access: AccessLevel,
}
