use scorel_proto::{EndReason, Seq};
use tokio::sync::watch;

use super::Lane;
use crate::feed::{FeedBatch, FeedHead, FellBehind, RingEvent};

/// A receiver for the news that a session has published events.
#[derive(Debug)]
pub struct LaneChanges(watch::Receiver<FeedHead>);

impl LaneChanges {
    /// Treats everything published so far as seen.
    pub fn mark_unchanged(&mut self) {
        self.0.mark_unchanged();
    }

    /// Waits for the next unseen event. Returns `false` if the session was unloaded instead.
    pub async fn changed(&mut self) -> bool {
        self.0.changed().await.is_ok()
    }
}

impl Lane {
    /// Changes with every event of the session.
    pub fn watch_changes(&self) -> LaneChanges {
        LaneChanges(self.watch_head())
    }
}

/// The feed, for subscribers. Only the commit path publishes.
impl Lane {
    pub(crate) fn watch_head(&self) -> watch::Receiver<FeedHead> {
        self.feed.watch()
    }

    pub(crate) fn watch_delta_free_head(&self) -> watch::Receiver<FeedHead> {
        self.feed.watch_delta_free()
    }

    /// The seq of the last published event.
    pub(crate) fn head(&self) -> Seq {
        self.feed.head()
    }

    /// Events after `seq` from the ring: about `max_bytes` of them, at least one if there is one.
    pub(crate) fn recent(&self, seq: Seq, max_bytes: usize) -> Result<FeedBatch, FellBehind> {
        self.feed.after(seq, max_bytes)
    }

    /// The events after `seq` in the ring that are no deltas.
    pub(crate) fn recent_delta_free(&self, seq: Seq) -> Result<Vec<RingEvent>, FellBehind> {
        self.feed.delta_free_after(seq)
    }

    /// Drops everything from the ring but the last event.
    pub(crate) fn shrink_ring(&self) {
        self.feed.shrink();
    }

    /// Tells subscribers that nothing follows.
    pub(crate) fn end_feed(&self, reason: EndReason) {
        self.feed.end(reason);
    }
}
