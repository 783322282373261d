//! How events reach subscribers.

mod ring;

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use scorel_journal::Appended;
use scorel_proto::{EndReason, Seq};
use tokio::sync::watch;

pub(crate) use ring::{Batch, Fallen, RingEvent};

use ring::Ring;

/// The live end of a session's events.
///
/// The newest events are kept in a ring of bounded size, encoded once for all subscribers. A
/// subscriber is a cursor into it and costs the feed nothing: one that stops reading falls out of
/// the ring and reads the log instead.
#[derive(Debug)]
pub(crate) struct Feed {
    ring: Mutex<Ring>,
    head: watch::Sender<Head>,
}

/// Where the feed stands, for those who wait for it to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// The number of the last event.
    pub(crate) seq: Seq,
    /// Set when nothing follows.
    pub(crate) end: Option<EndReason>,
}

impl Feed {
    /// An empty feed after `head`, the last number that may have been published.
    pub(crate) fn new(head: Seq, max_bytes: usize) -> Self {
        Self {
            ring: Mutex::new(Ring::new(head, max_bytes)),
            head: watch::Sender::new(Head {
                seq: head,
                end: None,
            }),
        }
    }

    /// Shows a record. It takes the proof that the record is in the log.
    pub(crate) fn publish(&self, record: &Appended) {
        self.push(RingEvent {
            seq: record.seq(),
            persistent: true,
            json: record.line().clone(),
        });
    }

    /// Shows an event that is not kept.
    pub(crate) fn publish_transient(&self, seq: Seq, json: Bytes) {
        self.push(RingEvent {
            seq,
            persistent: false,
            json,
        });
    }

    /// The number of the last event.
    pub(crate) fn head(&self) -> Seq {
        self.head.borrow().seq
    }

    /// A way to wait for the head to move.
    pub(crate) fn watch(&self) -> watch::Receiver<Head> {
        self.head.subscribe()
    }

    /// Whether everything after `seq` is in the ring.
    pub(crate) fn covers(&self, seq: Seq) -> bool {
        self.ring().covers(seq)
    }

    /// The events after `seq`, at least one and about `max_bytes` of them.
    pub(crate) fn after(&self, seq: Seq, max_bytes: usize) -> Result<Batch, Fallen> {
        self.ring().after(seq, max_bytes)
    }

    /// Forgets everything but the last event.
    pub(crate) fn shrink(&self) {
        self.ring().shrink();
    }

    /// Nothing follows.
    pub(crate) fn end(&self, reason: EndReason) {
        self.head
            .send_modify(|head| head.end = head.end.or(Some(reason)));
    }

    fn push(&self, event: RingEvent) {
        let seq = event.seq;
        self.ring().push(event);
        self.head.send_modify(|head| head.seq = seq);
    }

    /// The ring is consistent between any two statements, so a panic elsewhere does not spoil it.
    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
