//! Issuing sequence numbers.

use scorel_proto::Seq;

/// Sequence numbers after its own that a record reserves for transient events.
///
/// Transient events, such as the deltas of an answer, are numbered but not written; a record for each
/// number would cost a sync a hundred times a second. With blocks of 65,536 a `seq_reserve` record is
/// due every ten minutes or so at that rate, and numbers, which JSON clients read as doubles, last for
/// 2^53 / 65,536 = 137 billion crashes.
pub const RESERVE: u64 = 65_536;

/// The largest distance between the sequence numbers of neighbouring lines. Half of it is reserved for
/// transient events, the other half is for records whose write failed.
const STRIDE: u64 = 2 * RESERVE;

/// The reserved block is used up, or it is unknown how much of it is: the next number must go to a
/// record (`seq_reserve`, if no other record is due).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no sequence number is reserved: append a record first")]
pub struct NeedsRecord;

/// Where sequence numbers continue after a journal was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContinueAt {
    /// After the last record. Only if no transient event was published after it.
    LastRecord,
    /// After the block that the last record reserves: some of it may have been published.
    Reserve,
}

/// Evidence of sequence numbers that may have been published.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PublishedTraces {
    /// That of the last intact record, or zero.
    pub(crate) last: Seq,
    /// Lines after it that may have been records: damaged ones, and torn ones that were moved aside.
    pub(crate) lost_lines: u64,
    /// That of a record known from a checkpoint, or zero.
    pub(crate) known: Seq,
}

/// Issues the sequence numbers of one journal.
///
/// Invariant: a record's number is at most [`STRIDE`] above that of the previous record, a transient
/// event's at most [`RESERVE`] − 1 above that of the last record. So the number of lines lost at the end
/// of a file gives an upper bound of the numbers that were published.
#[derive(Debug)]
pub(crate) struct SeqAllocator {
    last_record: Seq,
    last_issued: Seq,
    /// The largest number that the next record may get.
    limit: Seq,
    record_due: bool,
}

impl SeqAllocator {
    pub(crate) fn new(traces: PublishedTraces, at: ContinueAt) -> Self {
        let PublishedTraces {
            last,
            lost_lines,
            known,
        } = traces;
        let sure = lost_lines == 0 && known <= last;
        let from = last.plus(STRIDE.saturating_mul(lost_lines)).max(known);
        let last_issued = if sure && at == ContinueAt::LastRecord {
            last
        } else if last == Seq::ZERO && sure {
            // Nothing is published before the first record.
            last
        } else {
            from.plus(RESERVE)
        };
        Self {
            last_record: last,
            last_issued,
            limit: from.plus(STRIDE),
            record_due: last_issued != last || last == Seq::ZERO,
        }
    }

    pub(crate) fn last_record(&self) -> Seq {
        self.last_record
    }

    pub(crate) fn last_issued(&self) -> Seq {
        self.last_issued
    }

    pub(crate) fn reserved_through(&self) -> Seq {
        self.last_record.plus(RESERVE)
    }

    /// Issues a number to a transient event.
    ///
    /// Never the last one of the block. After a crash numbers continue from there, and a client whose
    /// cursor is at the last transient event must not look as if it had seen what came after the crash.
    pub(crate) fn next_transient(&mut self) -> Result<Seq, NeedsRecord> {
        let next = self.last_issued.next();
        if self.record_due || next >= self.reserved_through() {
            return Err(NeedsRecord);
        }
        self.last_issued = next;
        Ok(next)
    }

    /// Issues a number to a record that is about to be written; `None` if there is none left.
    ///
    /// The number at the limit is issued again after a failed write: its record was not published.
    pub(crate) fn next_record(&mut self) -> Option<Seq> {
        let seq = self.last_issued.next().min(self.limit);
        if seq <= self.last_record || self.last_issued == Seq::MAX {
            return None;
        }
        self.last_issued = seq;
        Some(seq)
    }

    /// To be called when the record with the last issued number is written.
    pub(crate) fn recorded(&mut self) {
        self.last_record = self.last_issued;
        self.limit = self.last_record.plus(STRIDE);
        self.record_due = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seq(value: u64) -> Seq {
        Seq::new(value).expect("in range")
    }

    fn after(last: u64, lost_lines: u64, at: ContinueAt) -> SeqAllocator {
        let traces = PublishedTraces {
            last: seq(last),
            lost_lines,
            known: Seq::ZERO,
        };
        SeqAllocator::new(traces, at)
    }

    #[test]
    fn a_new_journal_starts_with_record_one() {
        let mut numbers = after(0, 0, ContinueAt::Reserve);
        assert_eq!(numbers.next_transient(), Err(NeedsRecord));
        assert_eq!(numbers.next_record(), Some(seq(1)));
        numbers.recorded();
        assert_eq!(numbers.next_transient(), Ok(seq(2)));
    }

    #[test]
    fn transients_stop_before_the_end_of_the_reserved_block() {
        let mut numbers = after(10, 0, ContinueAt::LastRecord);
        let issued = std::iter::from_fn(|| numbers.next_transient().ok()).last();
        assert_eq!(issued, Some(seq(9 + RESERVE)));
        assert_eq!(numbers.next_record(), Some(seq(10 + RESERVE)));
        numbers.recorded();
        assert_eq!(numbers.next_transient(), Ok(seq(11 + RESERVE)));
    }

    #[test]
    fn numbers_after_a_crash_were_never_published() {
        for lost in 0..3 {
            let mut numbers = after(10, lost, ContinueAt::LastRecord);
            let _ = numbers.next_record();
            numbers.recorded();
            let seen = std::iter::from_fn(|| numbers.next_transient().ok()).last();
            let last = numbers.last_record().get();
            assert!(Some(after(last, 0, ContinueAt::Reserve).last_issued()) > seen);
            assert!(Some(after(10, lost + 1, ContinueAt::LastRecord).last_issued()) > seen);
        }
    }

    #[test]
    fn a_reserved_block_is_skipped_and_a_record_comes_first() {
        let mut numbers = after(10, 0, ContinueAt::Reserve);
        assert_eq!(numbers.last_issued(), seq(10 + RESERVE));
        assert_eq!(numbers.next_transient(), Err(NeedsRecord));
        assert_eq!(numbers.next_record(), Some(seq(11 + RESERVE)));
    }

    #[test]
    fn each_lost_line_skips_its_numbers() {
        for lost in 1..5 {
            let mut numbers = after(10, lost, ContinueAt::LastRecord);
            assert_eq!(numbers.next_transient(), Err(NeedsRecord));
            let first = numbers.next_record().expect("numbers are left");
            assert!(first > seq(10 + RESERVE * (lost + 1)));
        }
    }

    #[test]
    fn no_sequence_of_lost_lines_repeats_a_published_number() {
        // The worst case: each line uses all numbers that it may, and is lost later.
        for start in [ContinueAt::LastRecord, ContinueAt::Reserve] {
            for lost_before in 0..3 {
                let mut numbers = after(10, lost_before, start);
                for lines in 1..6 {
                    while numbers.next_record() < Some(numbers.limit) {}
                    numbers.recorded();
                    while numbers.next_transient().is_ok() {}
                    let again = after(10, lost_before + lines, ContinueAt::LastRecord);
                    assert!(again.last_issued() > numbers.last_issued());
                }
            }
        }
    }

    #[test]
    fn failed_records_use_up_numbers_until_the_limit() {
        let mut numbers = after(10, 0, ContinueAt::LastRecord);
        assert_eq!(numbers.next_record(), Some(seq(11)));
        assert_eq!(numbers.next_record(), Some(seq(12)));
        let last = (0..STRIDE * 2).filter_map(|_| numbers.next_record()).last();
        assert_eq!(last, Some(seq(10 + STRIDE)));
    }

    #[test]
    fn the_largest_number_is_issued_once() {
        let mut numbers = after(Seq::MAX.get() - 1, 0, ContinueAt::LastRecord);
        assert_eq!(numbers.next_record(), Some(Seq::MAX));
        numbers.recorded();
        assert_eq!(numbers.next_record(), None);
        assert_eq!(numbers.next_transient(), Err(NeedsRecord));
    }
}
