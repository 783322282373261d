//! The in-memory index of a log: sequence numbers to offsets.

use scorel_proto::Seq;

use crate::RecordPosition;

/// Offsets of a log's records, 24 bytes per record. Records are appended in order, so a sorted vector
/// does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    places: Vec<RecordPosition>,
}

impl Index {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next record. One whose sequence number is not above the last is ignored.
    pub fn push(&mut self, place: RecordPosition) {
        if self.last().is_none_or(|last| last.seq < place.seq) {
            self.places.push(place);
        }
    }

    /// Gives back the memory that growing has reserved.
    pub fn shrink(&mut self) {
        self.places.shrink_to_fit();
    }

    pub fn get(&self, seq: Seq) -> Option<RecordPosition> {
        let at = self
            .places
            .binary_search_by_key(&seq, |place| place.seq)
            .ok()?;
        self.places.get(at).copied()
    }

    pub fn contains(&self, seq: Seq) -> bool {
        self.get(seq).is_some()
    }

    /// Records above `seq`.
    pub fn after(&self, seq: Seq) -> &[RecordPosition] {
        &self.places[self.places.partition_point(|place| place.seq <= seq)..]
    }

    /// The last `count` records below `seq`, in ascending order.
    pub fn before(&self, seq: Seq, count: usize) -> &[RecordPosition] {
        let end = self.places.partition_point(|place| place.seq < seq);
        &self.places[end.saturating_sub(count)..end]
    }

    pub fn last(&self) -> Option<RecordPosition> {
        self.places.last().copied()
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The index for a checkpoint, about five bytes per record: differences as varints (LEB128).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.places.len() * 5);
        let mut before = RecordPosition::START;
        for place in &self.places {
            put(&mut bytes, place.seq.get() - before.seq.get());
            put(&mut bytes, place.offset - before.end());
            put(&mut bytes, u64::from(place.len));
            before = *place;
        }
        bytes
    }

    /// The index that [`Index::to_bytes`] made these bytes of, or nothing if it did not.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let mut places = Vec::new();
        let mut before = RecordPosition::START;
        while !bytes.is_empty() {
            let seq = before.seq.get().checked_add(take(&mut bytes)?)?;
            let place = RecordPosition {
                seq: Seq::new(seq).filter(|&seq| seq > before.seq)?,
                offset: before.end().checked_add(take(&mut bytes)?)?,
                len: take(&mut bytes)?.try_into().ok()?,
            };
            place.offset.checked_add(u64::from(place.len))?;
            places.push(place);
            before = place;
        }
        Some(Self { places })
    }
}

impl RecordPosition {
    /// What the first difference is relative to.
    const START: Self = Self {
        seq: Seq::ZERO,
        offset: 0,
        len: 0,
    };
}

/// LEB128: seven bits per byte, lowest first; the top bit is set if more follow.
fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(seq: u64, offset: u64, len: u32) -> RecordPosition {
        let seq = Seq::new(seq).expect("in range");
        RecordPosition { seq, offset, len }
    }

    fn sample() -> Index {
        let mut index = Index::new();
        index.push(place(1, 80, 100));
        index.push(place(4, 181, 4 << 20));
        index.push(place(70_000, 1 << 40, 90));
        index
    }

    #[test]
    fn records_are_found_by_sequence_number_and_by_neighbour() {
        let index = sample();
        let seqs =
            |places: &[RecordPosition]| places.iter().map(|p| p.seq.get()).collect::<Vec<_>>();
        let at = |value| Seq::new(value).expect("in range");
        assert_eq!(index.get(at(4)), Some(place(4, 181, 4 << 20)));
        assert!(!index.contains(at(3)) && !index.contains(Seq::ZERO));
        assert_eq!(seqs(index.after(Seq::ZERO)), [1, 4, 70_000]);
        assert_eq!(seqs(index.after(at(4))), [70_000]);
        assert_eq!(seqs(index.after(at(70_000))), [0; 0]);
        assert_eq!(seqs(index.before(at(70_000), 1)), [4]);
        assert_eq!(seqs(index.before(Seq::MAX, 10)), [1, 4, 70_000]);
        assert_eq!(seqs(index.before(at(1), 10)), [0; 0]);
        assert_eq!(size_of::<RecordPosition>(), 24);
    }

    #[test]
    fn only_valid_bytes_are_decoded() {
        let bytes = sample().to_bytes();
        assert_eq!(Index::from_bytes(&bytes), Some(sample()));
        assert_eq!(Index::from_bytes(b""), Some(Index::new()));
        for cut in 1..bytes.len() {
            assert_ne!(Index::from_bytes(&bytes[..cut]), Some(sample()));
        }
        assert_eq!(Index::from_bytes(&[0, 0, 0]), None, "number zero");
        assert_eq!(Index::from_bytes(&[0xff; 30]), None);
    }
}
