use std::sync::{Arc, Mutex, PoisonError};

use scorel_proto::{ErrorCode, RpcError};
use tokio::sync::oneshot;

use crate::registry::Live;
use crate::{Caller, Connection, MethodKind, Subscription};

/// The circumstances of one call, handed to its handler.
#[derive(Debug, Clone)]
pub struct Call {
    connection: Connection,
    kind: MethodKind,
    gates: Gates,
}

impl Call {
    pub(crate) fn new(connection: Connection, kind: MethodKind, gates: Gates) -> Self {
        Self {
            connection,
            kind,
            gates,
        }
    }

    /// Who is calling.
    #[must_use]
    pub fn caller(&self) -> Caller {
        self.connection.caller()
    }

    /// The connection that the call came by.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Begins a subscription whose events are sent as notifications of `method`. It is started with
    /// [`Subscription::spawn`], whose value has to be the result of the call; dropped, it is gone.
    ///
    /// # Errors
    /// `overloaded` if the connection has as many subscriptions as it may have.
    pub fn subscribe(&self, method: &'static str) -> Result<Subscription, RpcError> {
        if self.kind != MethodKind::Subscribe {
            let message = "the method is not declared as one that subscribes";
            return Err(RpcError::new(ErrorCode::InternalError, message));
        }
        let gate = self.gates.add();
        Subscription::open(&self.connection, method, gate).ok_or_else(|| {
            let limit = self.connection.limits().subscriptions;
            let message = format!("a connection has at most {limit} subscriptions");
            RpcError::new(ErrorCode::Overloaded, message)
        })
    }

    /// Ends a subscription of this connection; `false` if it has none with this id. Nothing of the
    /// subscription is queued any more when this returns.
    #[must_use]
    pub fn unsubscribe(&self, id: &str) -> bool {
        let live = self.connection.registry().remove(id);
        let found = live.is_some();
        if let Some(live) = live {
            self.connection.outbox().fence(|| Live::end(&live));
        }
        found
    }
}

/// What holds the pumps of a call back until its reply is in the outbox.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gates(Arc<Mutex<Vec<oneshot::Sender<()>>>>);

impl Gates {
    fn add(&self) -> oneshot::Receiver<()> {
        let (opener, gate) = oneshot::channel();
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(opener);
        gate
    }

    /// Lets the pumps go, or ends them if the call failed.
    pub(crate) fn settle(&self, success: bool) {
        let gates = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if success {
            for gate in gates {
                // A subscription that was dropped by its handler has no pump to let go.
                let _: Result<(), ()> = gate.send(());
            }
        }
    }
}
