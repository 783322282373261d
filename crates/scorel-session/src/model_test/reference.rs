//! The expected session, as a list of all events that were shown, and what follows from it.

use std::cell::OnceCell;
use std::collections::VecDeque;

use bytes::Bytes;
use scorel_journal::RESERVE;
use scorel_proto::{
    Anchors, ContextWindow, Event, EventId, InFlight, PathNode, PersistentEvent, Phase, Seq,
    SessionView, SyncMode, TransientBody, TransientEvent,
};
use serde_json::Value;

use crate::feed::RingEvent;

/// One event of the session's whole history, crashes included.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) seq: Seq,
    pub(super) event: Event,
    /// Its bytes: known of a record, and of another event once a client got it.
    json: OnceCell<Bytes>,
    /// Of a record: where it is in the log, and whether it was damaged there.
    pub(super) place: Option<(usize, usize)>,
    pub(super) lost: bool,
}

impl Shown {
    pub(super) fn is_record(&self) -> bool {
        self.place.is_some()
    }
}

/// The state of the session between two events.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    pub(super) head: Seq,
    floor: Seq,
    pub(super) leaf: Option<EventId>,
    pub(super) in_flight: InFlight,
}

#[derive(Debug)]
pub(super) struct Reference {
    /// In the order of their numbers.
    pub(super) shown: Vec<Shown>,
    /// What the daemon that runs has folded.
    pub(super) view: SessionView,
    /// `C`.
    pub(super) head: Seq,
    /// The number and the size of each event in the ring.
    ring: VecDeque<(Seq, usize)>,
    max_bytes: usize,
    floor: Seq,
    /// True if damage must be accepted before the session goes on.
    pub(super) damaged: bool,
    /// The moments since an answer began that other changes overlap.
    moments: Vec<Moment>,
}

impl Reference {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            shown: Vec::new(),
            view: SessionView::default(),
            head: Seq::ZERO,
            ring: VecDeque::new(),
            max_bytes,
            floor: Seq::ZERO,
            damaged: false,
            moments: Vec::new(),
        }
    }

    fn now(&self) -> Moment {
        let state = &self.view.state;
        Moment {
            head: self.head,
            floor: self.floor,
            leaf: self.view.leaf(),
            in_flight: InFlight {
                phase: if self.damaged {
                    Phase::Failed
                } else {
                    state.phase()
                },
                turn_id: state.turn_id(),
                open: self.view.open.clone(),
                queue: state.queue.clone(),
                permissions: state.permissions.clone(),
            },
        }
    }

    /// The window of the active path, built from all of its records.
    pub(super) fn window(&self) -> ContextWindow {
        let path = self.view.tree.path(self.view.leaf());
        let event = |seq: Seq| {
            let at = self.shown.binary_search_by_key(&seq, |shown| shown.seq);
            match &self.shown[at.expect("it was shown")].event {
                Event::Persistent(event) => Some((**event).clone()),
                _ => None,
            }
        };
        let seqs = path.iter().map(|node: &PathNode| node.seq);
        let events: Vec<PersistentEvent> = seqs.filter_map(event).collect();
        let edits = self.view.state.edits.iter().copied();
        let edits: Vec<PersistentEvent> = edits.filter_map(event).collect();
        ContextWindow::build(&events, &edits, self.view.leaf())
    }

    /// An answer begins that other changes overlap.
    pub(super) fn begin_answer(&mut self) {
        self.moments = vec![self.now()];
    }

    pub(super) fn end_answer(&mut self) {
        self.moments.clear();
    }

    /// The moment of an answer, if it can be one.
    pub(super) fn moment(&self, is_it: impl Fn(&Moment) -> bool) -> Option<Moment> {
        if self.moments.is_empty() {
            return Some(self.now()).filter(is_it);
        }
        self.moments.iter().find(|moment| is_it(moment)).cloned()
    }

    pub(super) const fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// A line of the log that begins at `offset`, with its newline, was published.
    pub(super) fn publish_record(&mut self, offset: usize, line: &[u8]) {
        self.add_record(offset, line);
        self.enter_ring(line.len() - 1);
    }

    fn add_record(&mut self, offset: usize, line: &[u8]) {
        let json = &line[..line.len() - 1];
        let event = Event::decode(std::str::from_utf8(json).expect("text")).expect("an event");
        assert!(event.is_persistent());
        self.view.apply(&event);
        let json = OnceCell::from(Bytes::copy_from_slice(json));
        self.add(event, json, Some((offset, line.len())));
    }

    pub(super) fn publish_transient(&mut self, event: TransientEvent) {
        self.view.apply_transient(&event);
        let len = serde_json::to_vec(&event).expect("encodable").len();
        let event = Event::Transient(Box::new(event));
        self.add(event, OnceCell::new(), None);
        self.enter_ring(len);
    }

    fn add(&mut self, event: Event, json: OnceCell<Bytes>, place: Option<(usize, usize)>) {
        let seq = event.seq();
        let last = self.shown.last().map_or(Seq::ZERO, |last| last.seq);
        assert!(seq > last, "{seq} was issued after {last}");
        self.shown.push(Shown {
            seq,
            event,
            json,
            place,
            lost: false,
        });
    }

    fn enter_ring(&mut self, len: usize) {
        self.head = self.shown.last().expect("just added").seq;
        self.ring
            .push_back((self.head, len + size_of::<RingEvent>()));
        while self.ring.len() > 1 && self.ring_bytes() > self.max_bytes {
            self.evict();
        }
        if !self.moments.is_empty() {
            let now = self.now();
            self.moments.push(now);
        }
    }

    fn ring_bytes(&self) -> usize {
        self.ring.iter().map(|(_, len)| len).sum()
    }

    fn evict(&mut self) {
        if let Some((seq, _)) = self.ring.pop_front() {
            self.floor = seq;
        }
    }

    pub(super) fn shrink(&mut self) {
        while self.ring.len() > 1 {
            self.evict();
        }
    }

    /// A daemon has loaded the session: first the lines that a crash had left unpublished, then
    /// those that loading wrote. `sure` says that nothing is missing at the end of the log.
    pub(super) fn loaded(
        &mut self,
        left: &[(usize, Vec<u8>)],
        written: &[(usize, Vec<u8>)],
        sure: bool,
        head: Seq,
    ) {
        let before = self.shown.last().map_or(Seq::ZERO, |last| last.seq);
        self.view = SessionView::default();
        let found = self
            .shown
            .iter()
            .filter(|shown| shown.is_record() && !shown.lost);
        found.for_each(|shown| self.view.apply(&shown.event));
        left.iter()
            .for_each(|(offset, line)| self.add_record(*offset, line));
        let last = self.view.state.last_persistent_seq;
        self.floor = if sure && (self.view.state.turn.is_none() || last == Seq::ZERO) {
            last
        } else if sure {
            last.plus(RESERVE)
        } else {
            let first = written.first().map(|(_, line)| seq_of(line).previous());
            let floor = first.unwrap_or(head);
            assert!(
                floor >= last.plus(RESERVE),
                "{floor} may have been issued behind {last}"
            );
            floor
        };
        assert!(
            self.floor >= before,
            "numbers up to {before} were issued, not only {}",
            self.floor
        );
        self.ring.clear();
        self.head = self.floor;
        written
            .iter()
            .for_each(|(offset, line)| self.publish_record(*offset, line));
    }

    /// A daemon came upon damage while it runs: it has what the intact records fold into.
    pub(super) fn folded_again(&mut self) {
        self.view = SessionView::default();
        let found = self
            .shown
            .iter()
            .filter(|shown| shown.is_record() && !shown.lost);
        found.for_each(|shown| self.view.apply(&shown.event));
        self.damaged = true;
    }

    /// What a client with these anchors must be sent at a moment (the table of the design).
    pub(super) fn mode(&self, anchors: Anchors, moment: &Moment) -> SyncMode {
        let (persistent, stream) = (anchors.persistent_last_seq, anchors.stream_last_seq);
        let mut records = self.records().map(|record| record.seq);
        let known = persistent <= moment.head && records.any(|seq| seq == persistent);
        if persistent == Seq::ZERO && stream.unwrap_or(Seq::ZERO) == Seq::ZERO {
            return SyncMode::FullReload;
        }
        if persistent != Seq::ZERO && !known {
            return SyncMode::FullReload;
        }
        match stream {
            Some(stream) if stream < persistent || stream > moment.head => SyncMode::FullReload,
            Some(stream) if stream >= moment.floor => SyncMode::StreamResume,
            _ => SyncMode::PersistentFallback,
        }
    }

    /// Returns whether the event itself is in the ring.
    pub(super) fn is_in_ring(&self, seq: Seq) -> bool {
        self.ring.iter().any(|(held, _)| *held == seq)
    }

    /// Returns whether everything after `seq` is in the ring.
    pub(super) fn covers(&self, seq: Seq) -> bool {
        seq >= self.floor
    }

    /// The records that the log still has.
    pub(super) fn records(&self) -> impl DoubleEndedIterator<Item = &Shown> {
        self.shown
            .iter()
            .filter(|shown| shown.is_record() && !shown.lost)
    }

    fn after(&self, seq: Seq) -> impl Iterator<Item = &Shown> {
        let start = self.shown.partition_point(|shown| shown.seq <= seq);
        self.shown[start..].iter().filter(|shown| !shown.lost)
    }

    pub(super) fn next_record(&self, after: Seq) -> Option<Seq> {
        self.after(after)
            .find(|shown| shown.is_record())
            .map(|shown| shown.seq)
    }

    pub(super) fn next_event(&self, after: Seq) -> Option<Seq> {
        self.after(after).next().map(|shown| shown.seq)
    }

    pub(super) fn get(&self, seq: Seq) -> &Shown {
        let at = self.shown.binary_search_by_key(&seq, |shown| shown.seq);
        &self.shown[at.unwrap_or_else(|_| panic!("{seq} was never shown"))]
    }

    /// The events that a merged delta stands for.
    pub(super) fn within(&self, merged: &TransientEvent) -> &[Shown] {
        let from = self
            .shown
            .partition_point(|shown| shown.seq < merged.first_seq());
        let end = self.shown.partition_point(|shown| shown.seq <= merged.seq);
        &self.shown[from..end]
    }

    /// How many events came after `seq`.
    pub(super) fn count_after(&self, seq: Seq) -> usize {
        self.shown.len() - self.shown.partition_point(|shown| shown.seq <= seq)
    }

    /// A merged delta is the deltas of one block that were shown, and nothing else.
    pub(super) fn check_merged(&self, merged: &TransientEvent) {
        let parts = self.within(merged);
        let (first, last) = (&parts[0], &parts[parts.len() - 1]);
        assert_eq!((first.seq, last.seq), (merged.first_seq(), merged.seq));
        let (text, common) = delta(&Event::Transient(Box::new(merged.clone())));
        let mut joined = String::new();
        for part in parts {
            let (more, same) = delta(&part.event);
            assert_eq!(same, common, "another block");
            joined.push_str(&more);
        }
        assert_eq!(text, joined);
        let tool = |event: &TransientEvent| match &event.body {
            TransientBody::ToolCallDelta(delta) => delta.tool_name.clone(),
            _ => None,
        };
        let Event::Transient(first) = &first.event else {
            panic!("{first:?} is no delta");
        };
        assert_eq!(tool(merged), tool(first));
    }

    /// The number of an event that a client was sent, if its bytes are those of that number.
    pub(super) fn identify(&self, json: &Bytes) -> Seq {
        let seq = seq_of(json);
        let shown = self.get(seq);
        let known = shown.json.get_or_init(|| {
            let text = std::str::from_utf8(json).expect("text");
            let (Ok(Event::Transient(sent)), Event::Transient(meant)) =
                (Event::decode(text), &shown.event)
            else {
                panic!("{text} is not {:?}", shown.event);
            };
            assert_eq!(
                (sent.seq, sent.turn_id, &sent.body),
                (meant.seq, meant.turn_id, &meant.body)
            );
            json.clone()
        });
        assert_eq!(known, json, "{seq} names two events");
        seq
    }
}

/// A delta's text, and everything that all deltas of one block have in common.
fn delta(event: &Event) -> (String, Value) {
    let Event::Transient(event) = event else {
        panic!("{event:?} is no delta");
    };
    let mut rest = serde_json::to_value(event).expect("encodable");
    let fields = rest.as_object_mut().expect("an object");
    for own in ["seq", "ts", "fromSeq", "toolName"] {
        fields.remove(own);
    }
    let text = fields.remove("delta").expect("a delta");
    (text.as_str().expect("text").to_owned(), rest)
}

/// The number that an event's JSON text gives.
pub(super) fn seq_of(json: &[u8]) -> Seq {
    let key = b"\"seq\":";
    let at = json.windows(key.len()).position(|part| part == key);
    let digits = json[at.expect("a number") + key.len()..].iter();
    let number = digits.take_while(|byte| byte.is_ascii_digit());
    let number = number.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    Seq::new(number).expect("in range")
}
