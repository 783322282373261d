use std::collections::VecDeque;

use bytes::Bytes;
use scorel_proto::Seq;

/// The newest events of a session, bounded by bytes.
///
/// Seqs have gaps, so seqs alone do not tell whether an event is missing. The **floor** does: it is
/// the last evicted seq, and the ring holds everything after it. The last event is always kept,
/// however large, so that a subscriber that keeps up never has to read the log.
#[derive(Debug)]
pub(super) struct Ring {
    events: VecDeque<RingEvent>,
    bytes: usize,
    max_bytes: usize,
    floor: Seq,
    /// The floor of those that are no deltas.
    delta_free_floor: Seq,
}

/// One event, encoded once for all subscribers.
#[derive(Debug, Clone)]
pub(crate) struct RingEvent {
    pub(crate) seq: Seq,
    pub(crate) persistent: bool,
    pub(crate) is_delta: bool,
    pub(crate) json: Bytes,
}

/// Some of the events after a cursor.
#[derive(Debug, Clone)]
pub(crate) struct FeedBatch {
    pub(crate) events: Vec<RingEvent>,
    /// How many events follow the cursor, including those of the batch.
    pub(crate) behind: usize,
}

/// The cursor is below the floor: some events after it were evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FellBehind;

/// The memory of an event besides its JSON, in bytes.
const OVERHEAD: usize = size_of::<RingEvent>();

impl Ring {
    pub(super) fn new(floor: Seq, max_bytes: usize) -> Self {
        Self {
            events: VecDeque::new(),
            bytes: 0,
            max_bytes,
            floor,
            delta_free_floor: floor,
        }
    }

    pub(super) fn push(&mut self, event: RingEvent) {
        self.bytes += event.json.len() + OVERHEAD;
        self.events.push_back(event);
        while self.bytes > self.max_bytes && self.events.len() > 1 {
            self.evict();
        }
    }

    pub(super) fn covers(&self, seq: Seq) -> bool {
        seq >= self.floor
    }

    pub(super) fn after(&self, seq: Seq, max_bytes: usize) -> Result<FeedBatch, FellBehind> {
        if !self.covers(seq) {
            return Err(FellBehind);
        }
        let start = self.events.partition_point(|event| event.seq <= seq);
        let mut bytes = 0;
        let fits = |event: &&RingEvent| {
            let first = bytes == 0;
            bytes += event.json.len();
            first || bytes <= max_bytes
        };
        let events = self.events.range(start..).take_while(fits).cloned();
        Ok(FeedBatch {
            events: events.collect(),
            behind: self.events.len() - start,
        })
    }

    /// The events after `seq` that are no deltas.
    pub(super) fn delta_free_after(&self, seq: Seq) -> Result<Vec<RingEvent>, FellBehind> {
        if seq < self.delta_free_floor {
            return Err(FellBehind);
        }
        let start = self.events.partition_point(|event| event.seq <= seq);
        let events = self.events.range(start..).filter(|event| !event.is_delta);
        Ok(events.cloned().collect())
    }

    pub(super) fn shrink(&mut self) {
        while self.events.len() > 1 {
            self.evict();
        }
        self.events.shrink_to_fit();
    }

    fn evict(&mut self) {
        if let Some(event) = self.events.pop_front() {
            self.bytes -= event.json.len() + OVERHEAD;
            self.floor = event.seq;
            if !event.is_delta {
                self.delta_free_floor = event.seq;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seq(value: u64) -> Seq {
        Seq::new(value).expect("small")
    }

    fn event(number: u64, len: usize) -> RingEvent {
        RingEvent {
            seq: seq(number),
            persistent: false,
            is_delta: number.is_multiple_of(2),
            json: Bytes::from(vec![b'x'; len]),
        }
    }

    fn numbers(batch: &FeedBatch) -> Vec<u64> {
        batch.events.iter().map(|event| event.seq.get()).collect()
    }

    #[test]
    fn everything_after_the_floor_is_there() {
        let mut ring = Ring::new(seq(10), 3 * (100 + OVERHEAD));
        assert_eq!(ring.after(seq(9), 1000).err(), Some(FellBehind));
        assert_eq!(
            numbers(&ring.after(seq(10), 1000).expect("covered")),
            [0; 0]
        );
        for number in [11, 15, 16, 40] {
            ring.push(event(number, 100));
        }
        assert_eq!(
            ring.after(seq(10), 1000).err(),
            Some(FellBehind),
            "11 was evicted"
        );
        assert_eq!(
            numbers(&ring.after(seq(11), 1000).expect("covered")),
            [15, 16, 40]
        );
        assert_eq!(
            numbers(&ring.after(seq(15), 1000).expect("covered")),
            [16, 40]
        );
        assert_eq!(
            numbers(&ring.after(seq(40), 1000).expect("covered")),
            [0; 0]
        );
    }

    #[test]
    fn who_wants_no_deltas_misses_none_of_the_rest_for_them() {
        let mut ring = Ring::new(seq(0), 3 * (100 + OVERHEAD));
        for number in [1, 2, 4, 6, 7] {
            ring.push(event(number, 100));
        }
        let found = |after| {
            let events = ring.delta_free_after(seq(after));
            events.map(|it| it.iter().map(|event| event.seq.get()).collect::<Vec<_>>())
        };
        assert!(!ring.covers(seq(1)), "2 was evicted");
        assert_eq!(found(1), Ok(vec![7]));
        assert_eq!(found(7), Ok(vec![]));
        assert_eq!(found(0), Err(FellBehind));
    }

    #[test]
    fn the_last_event_stays_however_large() {
        let mut ring = Ring::new(Seq::ZERO, 10);
        ring.push(event(1, 5));
        ring.push(event(2, 1_000_000));
        assert_eq!(numbers(&ring.after(seq(1), 1).expect("covered")), [2]);
        ring.push(event(3, 5));
        ring.shrink();
        assert_eq!(numbers(&ring.after(seq(2), 1).expect("covered")), [3]);
        assert!(!ring.covers(seq(1)));
    }

    #[test]
    fn a_batch_is_bounded_but_never_empty_while_something_is_there() {
        let mut ring = Ring::new(Seq::ZERO, 1_000_000);
        (1..=10).for_each(|number| ring.push(event(number, 100)));
        let batch = ring.after(Seq::ZERO, 250).expect("covered");
        assert_eq!((numbers(&batch), batch.behind), (vec![1, 2], 10));
        assert_eq!(numbers(&ring.after(seq(2), 1).expect("covered")), [3]);
    }
}
