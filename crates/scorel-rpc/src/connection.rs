use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use scorel_proto::ClientId;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::outbox::Outbox;
use crate::registry::Registry;
use crate::{Caller, Limits};

/// A handle to one connection. It does not keep the connection open.
#[derive(Debug, Clone)]
pub struct Connection(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    id: u64,
    authenticated: Caller,
    claimed: Mutex<Option<ClientId>>,
    limits: Arc<Limits>,
    outbox: Outbox,
    subscriptions: Registry,
    pumps: TaskTracker,
    drain: CancellationToken,
    kill: CancellationToken,
}

impl Connection {
    pub(crate) fn new(caller: Caller, limits: Arc<Limits>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(Arc::new(Shared {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            authenticated: caller,
            claimed: Mutex::default(),
            outbox: Outbox::new(limits.outbox),
            subscriptions: Registry::new(limits.subscriptions),
            limits,
            pumps: TaskTracker::new(),
            drain: CancellationToken::new(),
            kill: CancellationToken::new(),
        }))
    }

    /// The connection's number, different from that of every other connection of this process.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Who is calling, with the client id that was claimed unless the transport proved one.
    #[must_use]
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

    /// Takes the client's word for its id and returns the id that holds from now on: the one that
    /// the transport proved wins over the one claimed.
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

    /// The limits of the connection.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// How much waits to be written, in bytes with overhead; never more than the outbox's limit.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.0.outbox.used()
    }

    /// How many subscriptions there are.
    #[must_use]
    pub fn subscriptions(&self) -> usize {
        self.0.subscriptions.len()
    }

    /// Ends the connection at once, with everything it owns.
    pub fn close(&self) {
        self.0.kill.cancel();
        self.0.outbox.close();
    }

    pub(crate) fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.0.subscriptions
    }

    /// Cancelled when calls and pumps should come to an end.
    pub(crate) fn drain(&self) -> &CancellationToken {
        &self.0.drain
    }

    /// Cancelled when the connection has ended.
    pub(crate) fn killed(&self) -> &CancellationToken {
        &self.0.kill
    }

    /// Resolves when every pump has ended. No pump may be started any more.
    pub(crate) async fn pumps_ended(&self) {
        self.0.pumps.close();
        self.0.pumps.wait().await;
    }

    /// Runs a pump until it returns or `stop` is cancelled. A pump that panics takes the connection
    /// with it: its client would otherwise wait for events that never come.
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
