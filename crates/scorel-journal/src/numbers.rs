//! Which number comes next.

use scorel_proto::Seq;

/// How many numbers behind its own a record reserves for transient events.
pub const RESERVE: u64 = 65_536;

/// How far a record's number can be from the number on the line before it. Half of it is reserved
/// for transient events, the other half is for records whose writing failed.
const STRIDE: u64 = 2 * RESERVE;

/// The reserved numbers are used up, or it is not known which of them are: the next number belongs
/// to a record (`seq_reserve`, if no other record is due).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the next number belongs to a record")]
pub struct NeedsRecord;

/// Where numbering goes on after a journal was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContinueAt {
    /// Right behind the last record: nothing transient was published behind it.
    LastRecord,
    /// Behind the numbers that the last record reserves.
    Reserve,
}

/// What the end of a file says about numbers that may have been published.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traces {
    /// The number of the last intact record, or zero.
    pub(crate) last: Seq,
    /// Lines behind it that may have been records: damaged ones, and torn ones moved aside.
    pub(crate) lost_lines: u64,
    /// The number of a record known from elsewhere, or zero.
    pub(crate) known: Seq,
}

/// The numbers of one journal.
///
/// A record's number is at most [`STRIDE`] above that of the record before it, and a transient's at
/// most [`RESERVE`] − 1 above that of the last record. So however many lines are lost at the end of a
/// file, an upper bound of the numbers that were published follows from their count.
#[derive(Debug)]
pub(crate) struct Numbers {
    last_record: Seq,
    last_issued: Seq,
    /// No record's number is above this one before the next record is written.
    limit: Seq,
    record_due: bool,
}

impl Numbers {
    pub(crate) fn new(traces: Traces, at: ContinueAt) -> Self {
        let Traces {
            last,
            lost_lines,
            known,
        } = traces;
        let sure = lost_lines == 0 && known <= last;
        let from = last.plus(STRIDE.saturating_mul(lost_lines)).max(known);
        let last_issued = if sure && at == ContinueAt::LastRecord {
            last
        } else if last == Seq::ZERO && sure {
            // Without any record nothing was ever published.
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
    /// Never the last one of the reserved block: after a crash numbering goes on there, and who has
    /// seen the last transient event must not look like one who has seen what came after the crash.
    pub(crate) fn next_transient(&mut self) -> Result<Seq, NeedsRecord> {
        let next = self.last_issued.next();
        if self.record_due || next >= self.reserved_through() {
            return Err(NeedsRecord);
        }
        self.last_issued = next;
        Ok(next)
    }

    /// Issues a number to a record that is about to be written, or none if there is none left.
    ///
    /// A number at the limit is issued again after a failure; it cannot have been published.
    pub(crate) fn next_record(&mut self) -> Option<Seq> {
        let seq = self.last_issued.next().min(self.limit);
        if seq <= self.last_record || self.last_issued == Seq::MAX {
            return None;
        }
        self.last_issued = seq;
        Some(seq)
    }

    /// The record with the number issued last is written.
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

    fn after(last: u64, lost_lines: u64, at: ContinueAt) -> Numbers {
        let traces = Traces {
            last: seq(last),
            lost_lines,
            known: Seq::ZERO,
        };
        Numbers::new(traces, at)
    }

    #[test]
    fn a_new_journal_begins_with_a_record_numbered_one() {
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
    fn after_a_crash_nobody_has_seen_the_number_at_which_it_goes_on() {
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
    fn an_open_end_goes_on_behind_the_reserved_block_with_a_record() {
        let mut numbers = after(10, 0, ContinueAt::Reserve);
        assert_eq!(numbers.last_issued(), seq(10 + RESERVE));
        assert_eq!(numbers.next_transient(), Err(NeedsRecord));
        assert_eq!(numbers.next_record(), Some(seq(11 + RESERVE)));
    }

    #[test]
    fn lost_lines_push_the_numbers_on_even_behind_a_closed_end() {
        for lost in 1..5 {
            let mut numbers = after(10, lost, ContinueAt::LastRecord);
            assert_eq!(numbers.next_transient(), Err(NeedsRecord));
            let first = numbers.next_record().expect("numbers are left");
            assert!(first > seq(10 + RESERVE * (lost + 1)));
        }
    }

    #[test]
    fn no_history_of_lost_lines_leads_to_a_published_number() {
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
    fn a_failed_record_burns_its_number_as_long_as_there_are_numbers_to_burn() {
        let mut numbers = after(10, 0, ContinueAt::LastRecord);
        assert_eq!(numbers.next_record(), Some(seq(11)));
        assert_eq!(numbers.next_record(), Some(seq(12)));
        let last = (0..STRIDE * 2).filter_map(|_| numbers.next_record()).last();
        assert_eq!(last, Some(seq(10 + STRIDE)));
    }

    #[test]
    fn the_last_number_is_never_issued_twice() {
        let mut numbers = after(Seq::MAX.get() - 1, 0, ContinueAt::LastRecord);
        assert_eq!(numbers.next_record(), Some(Seq::MAX));
        numbers.recorded();
        assert_eq!(numbers.next_record(), None);
        assert_eq!(numbers.next_transient(), Err(NeedsRecord));
    }
}
