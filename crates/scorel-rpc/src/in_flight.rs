use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use scorel_peer::IdKey;

/// The ids of a connection's unanswered calls. Two calls with one id would get replies that the client
/// cannot tell apart.
#[derive(Debug, Default, Clone)]
pub(crate) struct InFlight(Arc<Mutex<HashSet<IdKey>>>);

/// Reserves an id until the call is answered or dropped.
#[derive(Debug)]
pub(crate) struct IdReservation {
    ids: InFlight,
    key: IdKey,
}

impl InFlight {
    /// Reserves an id; `None` if a call with it is in flight. Null can be reserved any number of times.
    pub(crate) fn reserve(&self, key: &IdKey) -> Option<IdReservation> {
        let free = *key == IdKey::Null || self.with(|ids| ids.insert(key.clone()));
        free.then(|| IdReservation {
            ids: self.clone(),
            key: key.clone(),
        })
    }

    fn with<R>(&self, f: impl FnOnce(&mut HashSet<IdKey>) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for IdReservation {
    fn drop(&mut self) {
        self.ids.with(|ids| ids.remove(&self.key));
    }
}
