use scorel_proto::{Event, Seq, SyncMarker, SyncMode};

/// The place of a client in a session: what it needs to go on after a break.
///
/// This is the client's half of the protocol's resync, with nothing else in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Anchors {
    persistent: Seq,
    stream: Option<Seq>,
    reload: Option<SyncMode>,
    /// The place at which the daemon was asked once more for what is missing.
    asked: Option<Seq>,
}

/// What an event is to a client at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is the next one.
    New,
    /// The client has it already.
    Duplicate,
    /// A record before it is missing, or it is a merged delta of which the client has a part:
    /// subscribe again at the anchors, which have no stream state any more.
    Missing,
}

impl Anchors {
    /// A client that has everything through the record `persistent` and, if given, all events
    /// through `stream`.
    #[must_use]
    pub const fn new(persistent: Seq, stream: Option<Seq>) -> Self {
        Self {
            persistent,
            stream,
            reload: None,
            asked: None,
        }
    }

    /// The number of the last record that the client has.
    #[must_use]
    pub const fn persistent(&self) -> Seq {
        self.persistent
    }

    /// The number of the last event that the client has, if its stream state is complete.
    #[must_use]
    pub const fn stream(&self) -> Option<Seq> {
        self.stream
    }

    /// Takes note of an event.
    ///
    /// A gap is reported as [`Verdict::Missing`] once. If the daemon, asked again, sends the same
    /// event next, it has nothing in between (a damaged place of the log), and the event is taken.
    pub fn event(&mut self, event: &Event) -> Verdict {
        match event {
            Event::Transient(event) => self.transient(event.first_seq(), event.seq),
            event if event.is_persistent() => self.record(event.seq(), prev(event)),
            event => self.transient(event.seq(), event.seq()),
        }
    }

    fn record(&mut self, seq: Seq, prev: Option<Seq>) -> Verdict {
        if seq <= self.persistent {
            return Verdict::Duplicate;
        }
        let gap = prev.is_some_and(|prev| prev != self.persistent);
        if gap && self.asked != Some(self.persistent) {
            self.asked = Some(self.persistent);
            return self.missing();
        }
        self.persistent = seq;
        self.advance(seq);
        Verdict::New
    }

    /// Without a stream state nothing that is not in the log has a place. A merged delta cannot be
    /// cut: a daemon sends only whole ones, so one that overlaps is not of this client's stream.
    fn transient(&mut self, first: Seq, seq: Seq) -> Verdict {
        if self.stream.is_none_or(|stream| seq <= stream) {
            return Verdict::Duplicate;
        }
        if self.stream.is_some_and(|stream| first <= stream) {
            return self.missing();
        }
        self.advance(seq);
        Verdict::New
    }

    fn missing(&mut self) -> Verdict {
        self.stream = None;
        self.reload = None;
        Verdict::Missing
    }

    /// During a reload there is no stream state that could advance.
    fn advance(&mut self, seq: Seq) {
        self.stream = self.stream.map(|stream| stream.max(seq));
    }

    /// Takes note of a marker.
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
        }
    }

    /// The reload that is under way.
    #[must_use]
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
