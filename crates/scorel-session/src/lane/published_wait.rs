//! Waits of a job that no event tells of.

use std::sync::Arc;

use super::Lane;

/// Publishes why the session's job makes no progress, as its `problem`. Ends when it is dropped, also
/// with a future that is given up in the middle.
#[derive(Debug)]
#[must_use = "the reason is published until this is dropped"]
pub(crate) struct PublishedWait {
    lane: Arc<Lane>,
}

impl Lane {
    /// Says in descriptions of the session why its job waits.
    pub(crate) async fn publish_wait(self: &Arc<Self>, reason: String) -> PublishedWait {
        let wait = PublishedWait {
            lane: Arc::clone(self),
        };
        self.set_wait(Some(reason)).await;
        wait
    }

    async fn set_wait(self: &Arc<Self>, reason: Option<String>) {
        let mut locked = self.lock().await;
        *self.waits.lock() = reason;
        locked.section().announce();
    }
}

impl PublishedWait {
    /// Ends the wait, and tells subscribers of the host at once.
    pub(crate) async fn end(self) {
        self.lane.set_wait(None).await;
    }
}

impl Drop for PublishedWait {
    /// Without an announcement, which needs the lane's mutex: a job that is given up is announced with
    /// its end.
    fn drop(&mut self) {
        *self.lane.waits.lock() = None;
    }
}
