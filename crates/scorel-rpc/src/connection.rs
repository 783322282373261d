use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use scorel_peer::{CallError, Outbox, Peer};
use scorel_proto::ClientId;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::registry::SubscriptionRegistry;
use crate::{Caller, RpcLimits};

/// A handle to one connection. It does not keep the connection open.
#[derive(Debug, Clone)]
pub struct Connection(Arc<ConnectionState>);

#[derive(Debug)]
struct ConnectionState {
    id: u64,
    authenticated: Caller,
    claimed: Mutex<Option<ClientId>>,
    limits: Arc<RpcLimits>,
    peer: Peer,
    subscriptions: SubscriptionRegistry,
    pumps: TaskTracker,
    drain: CancellationToken,
    kill: CancellationToken,
}

impl Connection {
    pub(crate) fn new(caller: Caller, limits: Arc<RpcLimits>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(Arc::new(ConnectionState {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            authenticated: caller,
            claimed: Mutex::default(),
            peer: Peer::new(limits.outbox, limits.calls),
            subscriptions: SubscriptionRegistry::new(limits.subscriptions),
            limits,
            pumps: TaskTracker::new(),
            drain: CancellationToken::new(),
            kill: CancellationToken::new(),
        }))
    }

    /// Unique in this process.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// The caller. Its client id is the claimed one unless the transport authenticated one.
    pub fn caller(&self) -> Caller {
        let mut caller = self.0.authenticated.clone();
        if caller.client_id.is_none() {
            caller.client_id = *self
                .0
                .claimed
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
        }
        caller
    }

    /// Sets the claimed client id, and returns the effective one: an id that the transport
    /// authenticated takes precedence.
    pub fn claim_client(&self, id: ClientId) -> ClientId {
        if let Some(proven) = self.0.authenticated.client_id {
            return proven;
        }
        *self
            .0
            .claimed
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(id);
        id
    }

    pub fn limits(&self) -> &RpcLimits {
        &self.0.limits
    }

    /// Bytes waiting to be written, with overhead; at most [`RpcLimits::outbox`].
    pub fn queued(&self) -> usize {
        self.0.peer.outbox().used()
    }

    pub fn subscriptions(&self) -> usize {
        self.0.subscriptions.len()
    }

    /// Calls a method of the client, and waits no longer than `limit`: a client may be stopped, and while
    /// as many of its calls are in flight as may be, its answers are not read. To drop the future cancels
    /// the call on this side.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call(
        &self,
        method: &str,
        params: &RawValue,
        limit: Duration,
    ) -> Result<Box<RawValue>, CallError> {
        let call = self.0.peer.call_within(method, Some(params), limit);
        call.await
    }

    /// Ends the connection without draining it.
    pub fn close(&self) {
        self.0.kill.cancel();
        self.0.peer.close();
    }

    pub(crate) fn peer(&self) -> &Peer {
        &self.0.peer
    }

    pub(crate) fn outbox(&self) -> &Outbox {
        self.0.peer.outbox()
    }

    pub(crate) fn registry(&self) -> &SubscriptionRegistry {
        &self.0.subscriptions
    }

    /// Cancelled when calls and pumps should finish.
    pub(crate) fn drain(&self) -> &CancellationToken {
        &self.0.drain
    }

    /// Cancelled when the connection has ended.
    pub(crate) fn killed(&self) -> &CancellationToken {
        &self.0.kill
    }

    /// Resolves when every pump has ended, and lets none start afterwards.
    pub(crate) async fn pumps_ended(&self) {
        self.0.pumps.close();
        self.0.pumps.wait().await;
    }

    /// Runs a pump until it returns or `stop` is cancelled. A panic closes the connection: the client
    /// would otherwise wait for events that never come, and a reconnect resumes.
    pub(crate) fn spawn<F>(&self, stop: CancellationToken, pump: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let connection = self.clone();
        self.0.pumps.spawn(async move {
            let pump = AssertUnwindSafe(pump).catch_unwind();
            if let Some(Err(_)) = stop.run_until_cancelled(pump).await {
                tracing::error!(connection = connection.id(), "a subscription panicked");
                connection.close();
            }
        });
    }
}
