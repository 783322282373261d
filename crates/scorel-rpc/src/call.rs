use std::sync::{Arc, Mutex, PoisonError};

use scorel_proto::{ErrorCode, RpcError};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::registry::LiveSubscription;
use crate::{Caller, Connection, MethodKind, Subscription};

/// What a handler gets besides params: the caller, and ways to subscribe.
#[derive(Debug, Clone)]
pub struct RpcCall {
    pub(crate) connection: Connection,
    pub(crate) kind: MethodKind,
    pub(crate) gates: Gates,
    pub(crate) write: Option<CancellationToken>,
}

impl RpcCall {
    pub fn caller(&self) -> Caller {
        self.connection.caller()
    }

    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Lets the reads run that wait for this mutation, before it returns: they see it from now on. For a
    /// call with a long way to its reply: the reads behind it would fill the connection, and a `cancel`
    /// behind them would not be read.
    pub fn written(&self) {
        if let Some(write) = &self.write {
            write.cancel();
        }
    }

    /// Creates a subscription that sends notifications of `method`. Start it with
    /// [`Subscription::spawn`] and return its value as the result of the call.
    ///
    /// # Errors
    /// `overloaded` at the limit of subscriptions per connection.
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

    /// Ends a subscription of this connection; `false` if there is none with this id. After this
    /// returns nothing of the subscription is queued, so the reply follows its last event.
    pub fn unsubscribe(&self, id: &str) -> bool {
        let live = self.connection.registry().remove(id);
        let found = live.is_some();
        if let Some(live) = live {
            self.connection
                .outbox()
                .fence(|| LiveSubscription::end(&live));
        }
        found
    }
}

/// Keeps the pumps of a call waiting until its reply is in the outbox: a client cannot attribute an
/// event to a subscription whose id it does not have yet.
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

    /// Starts the pumps, or drops them if the call failed.
    pub(crate) fn settle(&self, success: bool) {
        let gates = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if success {
            for gate in gates {
                // Fails if the handler dropped the subscription.
                let _: Result<(), ()> = gate.send(());
            }
        }
    }
}
