//! Publishing: from the commit path to any number of subscribers.

mod ring;

use bytes::Bytes;
use scorel_journal::Appended;
use scorel_proto::{EndReason, Seq};
use tokio::sync::watch;

pub(crate) use ring::{FeedBatch, FellBehind, RingEvent};

use ring::Ring;

use crate::locks::Leaf;

/// The live end of a session's events.
///
/// A ring of bounded size holds the newest events, encoded once for all subscribers. A subscriber is
/// a cursor into it, not a queue: one that stops reading falls behind the ring and reads the log
/// instead, at no cost to the lane or to other subscribers.
#[derive(Debug)]
pub(crate) struct Feed {
    ring: Leaf<Ring>,
    head: watch::Sender<FeedHead>,
    /// The head without deltas, for those who are not to be woken by each.
    delta_free_head: watch::Sender<FeedHead>,
}

/// How far the feed has got. Subscribers watch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FeedHead {
    /// The seq of the last published event.
    pub(crate) seq: Seq,
    /// Set when nothing follows any more.
    pub(crate) end: Option<EndReason>,
}

impl Feed {
    /// An empty feed after `head`, the highest seq that may have been published.
    pub(crate) fn new(head: Seq, max_bytes: usize) -> Self {
        let ring = Leaf::new(Ring::new(head, max_bytes));
        let head = FeedHead {
            seq: head,
            end: None,
        };
        Self {
            ring,
            head: watch::Sender::new(head),
            delta_free_head: watch::Sender::new(head),
        }
    }

    /// Publishes a record. `Appended` is the proof that it is in the log, and only the journal makes one.
    pub(crate) fn publish(&self, record: &Appended) {
        self.push(RingEvent {
            seq: record.seq(),
            persistent: true,
            is_delta: false,
            json: record.line().clone(),
        });
    }

    /// Publishes a transient event.
    pub(crate) fn publish_transient(&self, seq: Seq, is_delta: bool, json: Bytes) {
        self.push(RingEvent {
            seq,
            persistent: false,
            is_delta,
            json,
        });
    }

    /// The seq of the last published event.
    pub(crate) fn head(&self) -> Seq {
        self.head.borrow().seq
    }

    pub(crate) fn watch(&self) -> watch::Receiver<FeedHead> {
        self.head.subscribe()
    }

    pub(crate) fn watch_delta_free(&self) -> watch::Receiver<FeedHead> {
        self.delta_free_head.subscribe()
    }

    /// Returns whether the ring holds every event after `seq`.
    pub(crate) fn covers(&self, seq: Seq) -> bool {
        self.ring.lock().covers(seq)
    }

    /// Events after `seq`: about `max_bytes` of them, at least one if there is one.
    pub(crate) fn after(&self, seq: Seq, max_bytes: usize) -> Result<FeedBatch, FellBehind> {
        self.ring.lock().after(seq, max_bytes)
    }

    /// The events after `seq` that are no deltas.
    pub(crate) fn delta_free_after(&self, seq: Seq) -> Result<Vec<RingEvent>, FellBehind> {
        self.ring.lock().delta_free_after(seq)
    }

    /// Drops everything but the last event.
    pub(crate) fn shrink(&self) {
        self.ring.lock().shrink();
    }

    /// Tells subscribers that nothing follows. The first reason counts.
    pub(crate) fn end(&self, reason: EndReason) {
        for head in [&self.head, &self.delta_free_head] {
            head.send_modify(|head| head.end = head.end.or(Some(reason)));
        }
    }

    fn push(&self, event: RingEvent) {
        let (seq, is_delta) = (event.seq, event.is_delta);
        // Ring before head: a subscriber that sees the new head finds the event.
        self.ring.lock().push(event);
        self.head.send_modify(|head| head.seq = seq);
        if !is_delta {
            self.delta_free_head.send_modify(|head| head.seq = seq);
        }
    }
}
