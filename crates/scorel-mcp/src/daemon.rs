use scorel_client::{Caller, ClientAnchors, Connect, SessionStream};
use scorel_proto::{GetSession, GetSessionParams, Method, Session, SessionId};

use crate::failure::Failure;

/// The daemon whose sessions are served.
#[derive(Debug)]
pub(crate) struct Daemon<C> {
    caller: Caller<C>,
    connector: C,
}

impl<C: Connect + Clone> Daemon<C> {
    /// `caller` calls, and may start the daemon; `connector` opens the connections of streams, and does not.
    pub(crate) const fn new(caller: Caller<C>, connector: C) -> Self {
        Self { caller, connector }
    }

    /// Calls a method. A lost connection is made again, so every command must have its id.
    pub(crate) async fn call<M: Method>(&self, params: &M::Params) -> Result<M::Result, Failure> {
        Ok(self.caller.call::<M>(params).await?)
    }

    pub(crate) async fn session(&self, session_id: SessionId) -> Result<Session, Failure> {
        let params = GetSessionParams { session_id };
        Ok(self.call::<GetSession>(&params).await?.session)
    }

    /// Follows what comes after a look at a session, on a connection of its own.
    pub(crate) async fn follow(&self, seen: &Session) -> Result<SessionStream<C>, Failure> {
        let anchors = ClientAnchors::new(seen.last_persistent_seq, Some(seen.current_seq));
        let connector = self.connector.clone();
        Ok(SessionStream::open(connector, seen.session_id, anchors).await?)
    }
}
