use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

#[derive(Debug)]
pub(crate) struct LiveSubscription {
    /// True if notifications may be queued. [`Outbox::fence`](scorel_peer::Outbox::fence) orders the
    /// change against queueing.
    pub(crate) alive: AtomicBool,
    pub(crate) stop: CancellationToken,
}

impl LiveSubscription {
    pub(crate) fn end(&self) {
        self.alive.store(false, Ordering::Release);
        self.stop.cancel();
    }
}

/// The subscriptions of one connection.
#[derive(Debug)]
pub(crate) struct SubscriptionRegistry {
    limit: usize,
    live: Mutex<HashMap<Arc<str>, Arc<LiveSubscription>>>,
}

impl SubscriptionRegistry {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            live: Mutex::default(),
        }
    }

    /// `false` at the limit.
    pub(crate) fn insert(&self, id: Arc<str>, live: Arc<LiveSubscription>) -> bool {
        let mut subscriptions = self.live();
        let room = subscriptions.len() < self.limit;
        if room {
            subscriptions.insert(id, live);
        }
        room
    }

    pub(crate) fn remove(&self, id: &str) -> Option<Arc<LiveSubscription>> {
        self.live().remove(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.live().len()
    }

    fn live(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<LiveSubscription>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
