use std::sync::{Arc, Weak};

use bytes::Bytes;
use scorel_proto::{EndReason, Seq, SessionView};
use tokio::sync::watch;

use crate::feed::{FeedHead, FellBehind};
use crate::lane::Lane;

/// About how many bytes of events are taken at once.
const BATCH_BYTES: usize = 256 * 1024;

/// A place in what a session publishes, from a moment on. Nothing waits for it, it keeps no session loaded, and what
/// it misses it does not read again.
#[derive(Debug)]
pub struct LiveCursor {
    lane: Weak<Lane>,
    head: watch::Receiver<FeedHead>,
    delta_free_head: watch::Receiver<FeedHead>,
    after: Seq,
}

/// The events that a [`LiveCursor`] is to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveScope {
    All,
    /// All but the deltas of answers: nothing wakes for each.
    DeltaFree,
}

/// The next thing that a [`LiveCursor`] finds.
#[derive(Debug)]
pub enum LiveStep {
    /// Events, as they were published.
    Events(Vec<Bytes>),
    /// Events were published faster than they were taken. The cursor goes on with those to come.
    Missed,
    /// Nothing follows: the session has ended so, or is no longer loaded (`None`).
    Ended(Option<EndReason>),
}

impl LiveCursor {
    /// A cursor behind the event with this number.
    pub fn new(lane: &Arc<Lane>, after: Seq) -> Self {
        Self {
            lane: Arc::downgrade(lane),
            head: lane.watch_head(),
            delta_free_head: lane.watch_delta_free_head(),
            after,
        }
    }

    /// Reads the view of the session, while it is loaded.
    pub fn view<R>(&self, read: impl FnOnce(&SessionView) -> R) -> Option<R> {
        Some(self.lane.upgrade()?.view(read))
    }

    /// The next step, as soon as there is one. Dropping the future loses nothing.
    pub async fn next(&mut self, scope: LiveScope) -> LiveStep {
        let after = self.after;
        let moved = |head: &FeedHead| head.seq > after || head.end.is_some();
        let watched = match scope {
            LiveScope::All => &mut self.head,
            LiveScope::DeltaFree => &mut self.delta_free_head,
        };
        let head = match watched.wait_for(moved).await {
            Ok(head) => *head,
            // The sender is in the lane.
            Err(_) => return LiveStep::Ended(None),
        };
        if head.seq <= after {
            return LiveStep::Ended(head.end);
        }
        let Some(lane) = self.lane.upgrade() else {
            return LiveStep::Ended(None);
        };
        let found = match scope {
            LiveScope::All => lane.recent(after, BATCH_BYTES).map(|batch| batch.events),
            LiveScope::DeltaFree => lane.recent_delta_free(after),
        };
        match found {
            Ok(events) => {
                self.after = events.last().map_or(head.seq, |event| event.seq);
                LiveStep::Events(events.into_iter().map(|event| event.json).collect())
            }
            Err(FellBehind) => {
                self.after = head.seq;
                LiveStep::Missed
            }
        }
    }
}
