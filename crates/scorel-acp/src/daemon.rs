use scorel_client::{Caller, ClientAnchors, Connect, SessionStream};
use scorel_proto::{Method, SessionId};

use crate::failure::Failure;

/// The daemon whose sessions are served.
#[derive(Debug, Clone)]
pub(crate) struct Daemon<C> {
    caller: Caller<C>,
    connector: C,
}

impl<C: Connect + Clone> Daemon<C> {
    /// `caller` calls; `connector` opens the connections of streams.
    pub(crate) const fn new(caller: Caller<C>, connector: C) -> Self {
        Self { caller, connector }
    }

    /// Calls a method. A lost connection is made again, so every command must have its id.
    pub(crate) async fn call<M: Method>(&self, params: &M::Params) -> Result<M::Result, Failure> {
        Ok(self.caller.call::<M>(params).await?)
    }

    /// Follows a session, on a connection of its own.
    pub(crate) async fn follow(
        &self,
        session_id: SessionId,
        anchors: ClientAnchors,
    ) -> Result<SessionStream<C>, Failure> {
        let connector = self.connector.clone();
        Ok(SessionStream::open(connector, session_id, anchors).await?)
    }
}
