use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// A subscription as its connection knows it.
#[derive(Debug)]
pub(crate) struct Live {
    /// Whether notifications may be queued. Changed behind the outbox's fence.
    pub(crate) alive: AtomicBool,
    /// Cancelled to drop the pump.
    pub(crate) stop: CancellationToken,
}

impl Live {
    pub(crate) fn end(&self) {
        self.alive.store(false, Ordering::Release);
        self.stop.cancel();
    }
}

/// The subscriptions of one connection, limited in number.
#[derive(Debug)]
pub(crate) struct Registry {
    limit: usize,
    live: Mutex<HashMap<Arc<str>, Arc<Live>>>,
}

impl Registry {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            live: Mutex::default(),
        }
    }

    /// Adds a subscription; `false` if there are as many as there may be.
    pub(crate) fn insert(&self, id: Arc<str>, live: Arc<Live>) -> bool {
        let mut subscriptions = self.live();
        let room = subscriptions.len() < self.limit;
        if room {
            subscriptions.insert(id, live);
        }
        room
    }

    pub(crate) fn remove(&self, id: &str) -> Option<Arc<Live>> {
        self.live().remove(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.live().len()
    }

    fn live(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
