use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::envelope::IdKey;

/// The ids of a connection's calls that have not been answered.
#[derive(Debug, Default, Clone)]
pub(crate) struct InFlight(Arc<Mutex<HashSet<IdKey>>>);

/// Holds an id until the call is answered or dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    ids: InFlight,
    key: IdKey,
}

impl InFlight {
    /// Takes an id, unless a call with the same id is in flight. Null is no id and never taken.
    pub(crate) fn take(&self, key: &IdKey) -> Option<Ticket> {
        let free = *key == IdKey::Null || self.with(|ids| ids.insert(key.clone()));
        free.then(|| Ticket {
            ids: self.clone(),
            key: key.clone(),
        })
    }

    fn with<R>(&self, f: impl FnOnce(&mut HashSet<IdKey>) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.ids.with(|ids| ids.remove(&self.key));
    }
}
