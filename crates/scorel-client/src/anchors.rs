use scorel_proto::{Event, EventId, Seq, SyncMarker, SyncMode};

/// A client's anchors in a session's event stream, and the rules that advance them.
///
/// This is the client's half of the protocol's resync and nothing else: it does no input or output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientAnchors {
    persistent: Seq,
    /// The event at `persistent`, if it is known.
    persistent_id: Option<EventId>,
    stream: Option<Seq>,
    reload: Option<SyncMode>,
    /// The persistent anchor at which a gap was already reported.
    asked: Option<Seq>,
}

/// Whether an event is new to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventNovelty {
    /// It is next; apply it.
    New,
    /// The client has it already; skip it.
    Duplicate,
    /// A record before it is missing, or it is a merged delta of which the client has a part:
    /// subscribe again at the anchors, which no longer have a stream anchor.
    Missing,
}

impl ClientAnchors {
    /// The anchors of a client that has every record up to `persistent` and, if given, every event
    /// up to `stream`.
    pub const fn new(persistent: Seq, stream: Option<Seq>) -> Self {
        Self {
            persistent,
            persistent_id: None,
            stream,
            reload: None,
            asked: None,
        }
    }

    /// The same, with the id of the event at the persistent anchor.
    #[must_use]
    pub const fn with_id(mut self, id: Option<EventId>) -> Self {
        self.persistent_id = id;
        self
    }

    /// The id of the last record that the client has, if it is known. The daemon compares it: after
    /// a backup was put back, the same number can name another event.
    pub const fn persistent_id(&self) -> Option<EventId> {
        self.persistent_id
    }

    /// The number of the last record that the client has; zero for none.
    pub const fn persistent(&self) -> Seq {
        self.persistent
    }

    /// The number of the last event of any kind, while the client's stream state is complete.
    pub const fn stream(&self) -> Option<Seq> {
        self.stream
    }

    /// Classifies an event, and advances the anchors if it is new.
    ///
    /// A gap is reported as [`EventNovelty::Missing`] once. If the daemon sends the same event
    /// again after the client has subscribed anew, nothing exists in between (the log is damaged
    /// there), and the event counts as new.
    pub fn event(&mut self, event: &Event) -> EventNovelty {
        match event {
            Event::Transient(event) => self.transient(event.first_seq(), event.seq),
            event if event.is_persistent() => self.record(event),
            event => self.transient(event.seq(), event.seq()),
        }
    }

    fn record(&mut self, event: &Event) -> EventNovelty {
        let (seq, prev) = (event.seq(), prev(event));
        if seq <= self.persistent {
            return EventNovelty::Duplicate;
        }
        let gap = prev.is_some_and(|prev| prev != self.persistent);
        if gap && self.asked != Some(self.persistent) {
            self.asked = Some(self.persistent);
            return self.missing();
        }
        self.persistent = seq;
        self.persistent_id = event.id();
        self.advance(seq);
        EventNovelty::New
    }

    /// Without a stream anchor a transient event cannot be placed, so it is skipped. A merged delta
    /// that overlaps the stream anchor cannot be split, and a conforming daemon never sends one.
    fn transient(&mut self, first: Seq, seq: Seq) -> EventNovelty {
        if self.stream.is_none_or(|stream| seq <= stream) {
            return EventNovelty::Duplicate;
        }
        if self.stream.is_some_and(|stream| first <= stream) {
            return self.missing();
        }
        self.advance(seq);
        EventNovelty::New
    }

    fn missing(&mut self) -> EventNovelty {
        self.stream = None;
        self.reload = None;
        EventNovelty::Missing
    }

    /// During a reload there is no stream anchor; `sync_end` sets it.
    fn advance(&mut self, seq: Seq) {
        self.stream = self.stream.map(|stream| stream.max(seq));
    }

    /// Applies a marker to the anchors.
    pub fn marker(&mut self, marker: &SyncMarker) {
        match marker {
            SyncMarker::SyncStart { mode, .. } => self.start(*mode),
            SyncMarker::SyncEnd { through_seq, .. } => {
                let stream = self.stream.unwrap_or_default();
                self.stream = Some(stream.max(*through_seq));
                self.reload = None;
            }
            SyncMarker::InFlight { .. } | SyncMarker::End { .. } => {}
        }
    }

    fn start(&mut self, mode: SyncMode) {
        self.reload = (mode != SyncMode::StreamResume).then_some(mode);
        if self.reload.is_some() {
            self.stream = None;
        }
        if mode == SyncMode::FullReload {
            self.persistent = Seq::ZERO;
            self.persistent_id = None;
        }
    }

    /// The mode of the reload in progress, between its `sync_start` and its `sync_end`.
    pub const fn reload(&self) -> Option<SyncMode> {
        self.reload
    }
}

fn prev(event: &Event) -> Option<Seq> {
    match event {
        Event::Persistent(event) => event.prev,
        Event::Unknown(event) => event.prev,
        Event::Transient(_) => None,
    }
}
