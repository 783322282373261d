//! A client that keeps the rules of the protocol.

use scorel_proto::{Anchors, Event, InFlight, Seq, SessionView, SyncMarker, SyncMode};

use super::reference::Reference;
use super::transcript::Item;

/// What a client has of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Client {
    pub(super) anchors: Anchors,
    view: SessionView,
    /// The numbers of the records that it has.
    records: Vec<Seq>,
    /// The numbers of the other events that it has since `since`.
    stream: Vec<Seq>,
    /// From here on it has everything through `streamLastSeq`: no reload was declared since.
    since: Seq,
    reloading: bool,
    in_flight: Option<InFlight>,
}

impl Client {
    /// The client has lost what it had of unfinished messages.
    pub(super) fn forget_stream(&mut self) {
        self.anchors.stream_last_seq = None;
    }

    pub(super) fn take(&mut self, item: &Item, reference: &Reference) {
        match item {
            Item::Event(seq) => {
                self.count(*seq, reference);
                self.view.apply(&reference.get(*seq).event);
            }
            Item::Merged(event) => {
                for shown in reference.within(event) {
                    self.count(shown.seq, reference);
                }
                self.view.apply(&Event::Transient(event.clone()));
            }
            Item::Marker(marker) => self.marker(marker),
        }
    }

    fn count(&mut self, seq: Seq, reference: &Reference) {
        let anchors = &mut self.anchors;
        if reference.get(seq).is_record() {
            assert!(seq > anchors.persistent_last_seq, "{seq} came twice");
            anchors.persistent_last_seq = seq;
            self.records.push(seq);
        } else {
            assert!(!self.reloading, "{seq} has no place in a reload");
            assert!(Some(seq) > anchors.stream_last_seq, "{seq} came twice");
            self.stream.push(seq);
        }
        if !self.reloading {
            anchors.stream_last_seq = anchors.stream_last_seq.max(Some(seq));
        }
    }

    fn marker(&mut self, marker: &SyncMarker) {
        match marker {
            SyncMarker::SyncStart { mode, .. } => {
                self.reloading = *mode != SyncMode::StreamResume;
                if self.reloading {
                    self.anchors.stream_last_seq = None;
                    self.in_flight = None;
                }
                if *mode == SyncMode::FullReload {
                    let reloading = true;
                    *self = Self {
                        reloading,
                        ..Self::default()
                    };
                }
            }
            SyncMarker::InFlight { in_flight, .. } => self.in_flight = Some(in_flight.clone()),
            SyncMarker::SyncEnd { through_seq, .. } => {
                if self.reloading {
                    self.reloading = false;
                    self.view.open = self.in_flight.take().expect("what is open").open;
                    self.since = *through_seq;
                    self.stream.clear();
                }
                let stream = &mut self.anchors.stream_last_seq;
                *stream = (*stream).max(Some(*through_seq));
            }
            SyncMarker::End { .. } => panic!("nothing ends the session"),
        }
    }

    /// The connection is gone. What a reload had brought until then stays; the client has no
    /// stream state.
    pub(super) fn disconnected(&mut self) {
        self.reloading = false;
    }

    /// Returns whether the client, if it has a stream state, has exactly the events shown up to there.
    pub(super) fn check(&self, reference: &Reference) {
        let Some(stream) = self.anchors.stream_last_seq else {
            return;
        };
        let had = self.records.iter().filter(|seq| !reference.get(**seq).lost);
        let records = reference.records().map(|record| &record.seq);
        let records = records.take_while(|seq| **seq <= stream);
        assert!(had.eq(records), "{:?} up to {stream}", self.records);
        let shown = reference.shown.iter().filter(|shown| !shown.is_record());
        let since = shown
            .map(|shown| &shown.seq)
            .filter(|seq| **seq > self.since && **seq <= stream);
        assert!(
            self.stream.iter().eq(since),
            "{:?} in ({}, {stream}]",
            self.stream,
            self.since
        );
        if stream == reference.head {
            assert_eq!(self.view.open, reference.view.open);
        }
    }

    /// Returns whether the client shows what the session is, damaged records aside.
    pub(super) fn check_view(&self, reference: &Reference) {
        assert_eq!(self.anchors.stream_last_seq, Some(reference.head));
        self.check(reference);
        if reference.shown.iter().any(|shown| shown.lost) {
            return;
        }
        assert_eq!(self.view.tree, reference.view.tree);
        assert_eq!(self.view.state.queue, reference.view.state.queue);
        assert_eq!(self.view.state.usage, reference.view.state.usage);
    }
}
