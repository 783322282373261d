use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_peer::IdKey;
use tokio_util::sync::CancellationToken;

/// Requests that are carried out at a time. Further ones are refused, since a cancel must still be read.
const MAX: usize = 32;

/// The requests that are being carried out, by their ids.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenRequests(Arc<Mutex<HashMap<IdKey, CancellationToken>>>);

/// A request that is being carried out, until this is dropped.
#[derive(Debug)]
pub(crate) struct OpenRequest {
    all: OpenRequests,
    key: IdKey,
    withdrawn: CancellationToken,
}

/// The reason why a request is not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotBegun {
    /// Another one has its id.
    SameId,
    TooMany,
}

impl OpenRequests {
    pub(crate) fn begin(&self, key: IdKey) -> Result<OpenRequest, NotBegun> {
        let mut open = self.lock();
        if open.contains_key(&key) {
            return Err(NotBegun::SameId);
        }
        if open.len() >= MAX {
            return Err(NotBegun::TooMany);
        }
        let withdrawn = CancellationToken::new();
        open.insert(key.clone(), withdrawn.clone());
        Ok(OpenRequest {
            all: self.clone(),
            key,
            withdrawn,
        })
    }

    /// The client withdraws a request. It may have been answered.
    pub(crate) fn withdraw(&self, key: &IdKey) {
        if let Some(withdrawn) = self.lock().get(key) {
            withdrawn.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IdKey, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenRequest {
    pub(crate) async fn withdrawn(&self) {
        self.withdrawn.cancelled().await;
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.all.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_are_open_at_a_time_and_each_once() {
        let all = OpenRequests::default();
        let begin = |id: usize| all.begin(IdKey::Integer(i64::try_from(id).unwrap()));
        let mut open: Vec<_> = (0..MAX).map(|id| begin(id).unwrap()).collect();
        assert_eq!(begin(0).unwrap_err(), NotBegun::SameId);
        assert_eq!(begin(MAX).unwrap_err(), NotBegun::TooMany);
        open.pop();
        let last = begin(MAX).unwrap();
        all.withdraw(&IdKey::Integer(0));
        assert!(open[0].withdrawn.is_cancelled() && !last.withdrawn.is_cancelled());
    }
}
