use scorel_client::{Caller, ClientAnchors, Connect, SessionStream};
use scorel_proto::{GetStatus, Method, NoParams, SessionId};

use crate::failure::Failure;

/// The daemon whose sessions are served.
#[derive(Debug, Clone)]
pub(crate) struct Daemon<C> {
    caller: Caller<C>,
    connector: C,
    /// Set if its files are those of this machine.
    pub(crate) is_local: bool,
}

impl<C: Connect + Clone> Daemon<C> {
    /// `caller` calls, and may start the daemon; `connector` opens the connections of streams, and does not.
    pub(crate) const fn new(caller: Caller<C>, connector: C, is_local: bool) -> Self {
        Self {
            caller,
            connector,
            is_local,
        }
    }

    /// Starts the daemon if it does not run. It may have crashed, and then goes on with its turns.
    pub(crate) async fn wake(&self) {
        // A daemon that does not start is tried again with the next attempt to reach it.
        let _: Result<_, Failure> = self.call::<GetStatus>(&NoParams {}).await;
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
