use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use scorel_proto::{Seq, SessionId};
use tokio::sync::watch;

use crate::feed::FeedHead;

/// How far a subscriber is behind its session, for status reports. It keeps neither of them alive, and
/// asking it waits for neither.
#[derive(Debug, Clone)]
pub struct SubscriberLag {
    session_id: SessionId,
    head: watch::Receiver<FeedHead>,
    given: Arc<AtomicU64>,
}

impl SubscriberLag {
    pub(super) fn new(session_id: SessionId, head: watch::Receiver<FeedHead>) -> Self {
        Self {
            session_id,
            head,
            given: Arc::default(),
        }
    }

    /// The subscriber's receiver has taken everything up to `seq`.
    pub(super) fn given_through(&self, seq: Seq) {
        self.given.store(seq.get(), Ordering::Relaxed);
    }

    pub const fn session_id(&self) -> SessionId {
        self.session_id
    }

    /// How many sequence numbers lie between what the subscriber's receiver has taken and the last
    /// published event.
    pub fn events(&self) -> u64 {
        let head = self.head.borrow().seq.get();
        head.saturating_sub(self.given.load(Ordering::Relaxed))
    }
}
