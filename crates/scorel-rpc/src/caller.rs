use scorel_proto::ClientId;

use crate::Access;

/// Who stands behind a connection, as far as its transport proved it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Principal {
    /// A process of a user of this machine.
    LocalUser {
        /// The user's number.
        uid: u32,
    },
}

/// The identity and rights of a call, made by the listener that accepted the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Who is calling.
    pub principal: Principal,
    /// The client: authenticated by the transport, or else claimed by the client itself.
    pub client_id: Option<ClientId>,
    /// What the caller may do.
    pub access: Access,
}
