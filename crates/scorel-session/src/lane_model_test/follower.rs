//! A client that keeps the rules of the protocol.

use std::sync::Arc;

use bytes::Bytes;
use scorel_proto::{Anchors, Event, InFlight, Seq, SessionView, SyncMarker, SyncMode};

use super::observed::Observed;
use crate::{Lane, Subscriber};

#[derive(Debug, Default)]
pub(super) struct Follower {
    subscriber: Option<Subscriber>,
    pub(super) view: SessionView,
    anchors: Anchors,
    mode: Option<SyncMode>,
    in_flight: Option<InFlight>,
    /// Where the session stood when the end of the last sync came.
    head: Seq,
}

impl Follower {
    /// The daemon is gone, or the session leaves memory.
    pub(super) fn disconnected(&mut self) {
        self.subscriber = None;
        self.mode = None;
    }

    /// The client has lost what it had of unfinished messages.
    pub(super) fn forget_stream(&mut self) {
        self.disconnected();
        self.anchors.stream_last_seq = None;
    }

    /// Takes everything that was published.
    pub(super) async fn catch_up(&mut self, lane: &Arc<Lane>, observed: &Observed) {
        if self.subscriber.is_none() {
            self.subscriber = Some(Subscriber::new(Arc::clone(lane), self.anchors));
            self.head = Seq::ZERO;
            self.mode = Some(SyncMode::StreamResume);
        }
        while self.mode.is_some() || self.head < lane.head() {
            let subscriber = self.subscriber.as_mut().expect("just set");
            let batch = subscriber.next_batch().await.expect("readable");
            for json in batch.expect("nothing ends the session") {
                self.take(&json, observed);
            }
        }
    }

    fn take(&mut self, json: &Bytes, observed: &Observed) {
        let text = std::str::from_utf8(json).expect("text");
        if let Ok(marker) = serde_json::from_str::<SyncMarker>(text) {
            return self.marker(marker);
        }
        let event = Event::decode(text).expect("an event");
        let seq = event.seq();
        let reloading = self.mode.is_some_and(|mode| mode != SyncMode::StreamResume);
        if event.is_persistent() {
            assert!(seq > self.anchors.persistent_last_seq, "{text} came twice");
            let line = observed.lines.get(&seq);
            assert_eq!(line.map(Vec::as_slice), Some(&json[..]), "line and event");
            self.anchors.persistent_last_seq = seq;
            self.anchors.persistent_last_id = event.id();
        } else {
            assert!(!reloading, "{text} has no place in a reload");
            assert!(
                !observed.lines.contains_key(&seq),
                "{text} has the seq of a record"
            );
        }
        if !reloading {
            let behind = Some(seq) > self.anchors.stream_last_seq;
            assert!(behind || self.mode.is_some(), "{text} is out of order");
            self.anchors.stream_last_seq = self.anchors.stream_last_seq.max(Some(seq));
        }
        self.head = self.head.max(seq);
        self.view.apply(&event);
    }

    fn marker(&mut self, marker: SyncMarker) {
        match marker {
            SyncMarker::SyncStart { mode, .. } => {
                self.mode = Some(mode);
                if mode != SyncMode::StreamResume {
                    self.anchors.stream_last_seq = None;
                }
                if mode == SyncMode::FullReload {
                    self.view = SessionView::default();
                    self.anchors = Anchors::default();
                }
            }
            SyncMarker::InFlight { in_flight, .. } => self.in_flight = Some(in_flight),
            SyncMarker::SyncEnd { through_seq, .. } => {
                if self.mode.take() != Some(SyncMode::StreamResume) {
                    let in_flight = self.in_flight.take().expect("a reload says what is open");
                    self.view.open = in_flight.open;
                }
                self.anchors.stream_last_seq = Some(through_seq);
                self.head = self.head.max(through_seq);
            }
            SyncMarker::End { reason, .. } => panic!("the session ended: {reason:?}"),
        }
    }
}
