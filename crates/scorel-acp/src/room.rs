use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Bytes of all requests that are being carried out.
const ROOM: u32 = 32 * 1024 * 1024;

/// The least that a request takes, in bytes: at most 128 are being carried out.
const LEAST: u32 = 256 * 1024;

/// The room for requests that are being carried out. Without any nothing is read, which is the backpressure on an
/// editor that does not read its answers, and on one whose daemon does not answer.
#[derive(Debug)]
pub(crate) struct Room(Arc<Semaphore>);

/// A part of the room, until it is dropped.
#[derive(Debug)]
pub(crate) struct Taken {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(ROOM as usize)))
    }
}

impl Room {
    /// Waits for room for a request of this length.
    pub(crate) async fn take(&self, bytes: usize) -> Taken {
        let bytes = u32::try_from(bytes).unwrap_or(ROOM).clamp(LEAST, ROOM);
        let permit = Arc::clone(&self.0).acquire_many_owned(bytes).await;
        // Never closed, so there always is one.
        Taken {
            _permit: permit.ok(),
        }
    }

    /// Waits until all requests are carried out, or for so long.
    pub(crate) async fn empty(&self, limit: Duration) {
        let _all = timeout(limit, self.0.acquire_many(ROOM)).await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn there_is_room_for_many_small_requests_or_one_large_one() {
        let room = Room::default();
        let taken: Vec<_> = (0..128)
            .map(|_| room.take(10).now_or_never().expect("room"))
            .collect();
        assert!(room.take(10).now_or_never().is_none());
        drop(taken);
        let _all = room.take(usize::MAX).now_or_never().expect("room");
        assert!(room.take(10).now_or_never().is_none());
    }
}
