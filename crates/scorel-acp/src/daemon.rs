use std::sync::{Arc, Mutex, PoisonError};

use scorel_client::{Caller, ClientAnchors, Connect, SessionStream};
use scorel_proto::{Method, SessionId};

use crate::failure::Failure;

/// Opens connections to the daemon, for the calls and for each session that is followed.
pub trait Connector: Connect + Clone + Send + 'static {}

impl<C: Connect + Clone + Send + 'static> Connector for C {}

/// The daemon whose sessions are served.
#[derive(Debug)]
pub(crate) struct Daemon<C> {
    caller: Caller<C>,
    connector: Arc<Mutex<C>>,
}

impl<C> Clone for Daemon<C> {
    fn clone(&self) -> Self {
        Self {
            caller: self.caller.clone(),
            connector: Arc::clone(&self.connector),
        }
    }
}

impl<C: Connector> Daemon<C> {
    /// `caller` calls; `connector` opens the connections of streams.
    pub(crate) fn new(caller: Caller<C>, connector: C) -> Self {
        Self {
            caller,
            connector: Arc::new(Mutex::new(connector)),
        }
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
        let connector = self.connector.lock();
        let connector = connector.unwrap_or_else(PoisonError::into_inner).clone();
        Ok(SessionStream::open(connector, session_id, anchors).await?)
    }
}
