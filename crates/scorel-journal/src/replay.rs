//! The one way of reading a log: lines in, intact records and damage out.
//!
//! Opening, scanning, readers, copies and repairs all go through [`Replay`], so that they agree on what
//! is a record.

use std::io;

use scorel_proto::Seq;

use crate::line::{RecordHead, check_record};
use crate::salvage::intact_records;
use crate::scan::{LinePiece, LineScanner};
use crate::{Damage, DamageReason, RecordPosition, RecordRef};

#[derive(Debug)]
pub(crate) enum ReplayItem<'a> {
    Record(RecordRef<'a>),
    Damage(Damage),
}

/// The bytes after the last newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TornBytes {
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

#[derive(Debug)]
pub(crate) enum ReplayStep {
    Line,
    /// The bytes after the last newline. They are not searched for records: without the newline, the
    /// write was not complete and the record not acknowledged.
    Rest(TornBytes),
    End,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum ReplayStart {
    /// At the start of a line, with the sequence number of the previous record if it is known.
    Line(Option<Seq>),
    /// Directly after the record with this sequence number, before its newline.
    Record(Seq),
}

/// Reads and verifies lines in order.
#[derive(Debug)]
pub(crate) struct Replay {
    lines: LineScanner,
    last: Option<Seq>,
    newline_due: bool,
    /// True if bytes after the last newline are a torn line. A range in the middle of a file may end
    /// before a newline, and then they are a line.
    may_end_torn: bool,
}

impl Replay {
    /// For a range up to the end of the file, which may be torn.
    pub(crate) fn of_file(lines: LineScanner, start: ReplayStart) -> Self {
        let (last, newline_due) = match start {
            ReplayStart::Line(last) => (last, false),
            ReplayStart::Record(last) => (Some(last), true),
        };
        Self {
            lines,
            last,
            newline_due,
            may_end_torn: true,
        }
    }

    /// For a range that ends at the end of a line, with or without its newline.
    pub(crate) fn of_part(lines: LineScanner) -> Self {
        Self {
            may_end_torn: false,
            ..Self::of_file(lines, ReplayStart::Line(None))
        }
    }

    /// Reads one line and calls `sink` with everything in it, in order.
    pub(crate) fn step(&mut self, sink: &mut dyn FnMut(ReplayItem<'_>)) -> io::Result<ReplayStep> {
        let newline_due = std::mem::take(&mut self.newline_due);
        let Some(piece) = self.lines.next()? else {
            return Ok(ReplayStep::End);
        };
        match piece {
            LinePiece::Line { bytes: b"", .. } if newline_due => {}
            LinePiece::Line { offset, bytes } => {
                line(&mut self.last, offset, bytes, newline_due, sink);
            }
            LinePiece::Oversize { offset, len, tail } => {
                oversize(&mut self.last, offset, len, tail, sink);
            }
            LinePiece::Unterminated { offset, len, .. } if self.may_end_torn => {
                return Ok(ReplayStep::Rest(TornBytes { offset, len }));
            }
            LinePiece::Unterminated { offset, len, tail } => {
                if tail.len() as u64 == len {
                    line(&mut self.last, offset, tail, newline_due, sink);
                } else {
                    oversize(&mut self.last, offset, len, tail, sink);
                }
            }
        }
        Ok(ReplayStep::Line)
    }
}

/// `joined`: the bytes stand directly behind a record, where its newline is due.
fn line(
    last: &mut Option<Seq>,
    offset: u64,
    bytes: &[u8],
    joined: bool,
    sink: &mut dyn FnMut(ReplayItem<'_>),
) {
    match check_record(bytes) {
        Ok(head) => accept(last, offset, bytes, (head, joined), sink),
        Err(reason) => salvage(last, offset, bytes, (reason, joined), sink),
    }
}

fn oversize(
    last: &mut Option<Seq>,
    offset: u64,
    len: u64,
    tail: &[u8],
    sink: &mut dyn FnMut(ReplayItem<'_>),
) {
    let skipped = len - tail.len() as u64;
    let reason = DamageReason::Oversize;
    let first = intact_records(tail)
        .first()
        .map_or(tail.len(), |range| range.start);
    sink(ReplayItem::Damage(Damage {
        offset,
        len: skipped + first as u64,
        reason,
    }));
    if first < tail.len() {
        let rest = &tail[first..];
        let offset = offset + skipped + first as u64;
        salvage(last, offset, rest, (reason, false), sink);
    }
}

/// Reports the damaged bytes of a line and its intact records.
fn salvage(
    last: &mut Option<Seq>,
    offset: u64,
    bytes: &[u8],
    (reason, joined): (DamageReason, bool),
    sink: &mut dyn FnMut(ReplayItem<'_>),
) {
    let mut done = 0;
    let damage = |from: usize, to: usize, sink: &mut dyn FnMut(ReplayItem<'_>)| {
        sink(ReplayItem::Damage(Damage {
            offset: offset + from as u64,
            len: (to - from) as u64,
            reason,
        }));
    };
    if bytes.is_empty() {
        return damage(0, 1, sink);
    }
    for range in intact_records(bytes) {
        if range.start > done {
            damage(done, range.start, sink);
        }
        let joined = range.start == done && (done > 0 || joined);
        done = range.end;
        let record = &bytes[range.clone()];
        if let Ok(head) = check_record(record) {
            let offset = offset + range.start as u64;
            accept(last, offset, record, (head, joined), sink);
        }
    }
    if done < bytes.len() {
        damage(done, bytes.len(), sink);
    }
}

/// Reports an intact record, unless its sequence number is not above the last, and any fault in its
/// position: `joined` if it stands directly behind another one.
fn accept(
    last: &mut Option<Seq>,
    offset: u64,
    bytes: &[u8],
    (head, joined): (RecordHead, bool),
    sink: &mut dyn FnMut(ReplayItem<'_>),
) {
    let place = RecordPosition {
        seq: head.seq,
        offset,
        len: u32::try_from(bytes.len()).expect("a record is at most 4 MiB long"),
    };
    let joined = joined.then_some(DamageReason::Joined);
    if let Some(reason) = misplaced(*last, head).or(joined) {
        sink(ReplayItem::Damage(Damage {
            offset,
            len: u64::from(place.len),
            reason,
        }));
        if matches!(reason, DamageReason::Order { .. }) {
            return;
        }
    }
    *last = Some(head.seq);
    sink(ReplayItem::Record(RecordRef {
        place,
        prev: head.prev,
        crc: head.crc,
        line: std::str::from_utf8(bytes).expect("an intact record is text"),
    }));
}

/// The reason why a record cannot follow the one with the sequence number `last` directly.
fn misplaced(last: Option<Seq>, head: RecordHead) -> Option<DamageReason> {
    let last = last?;
    if head.seq <= last {
        Some(DamageReason::Order {
            last,
            found: head.seq,
        })
    } else if head.prev != last {
        Some(DamageReason::Gap {
            last,
            expected: head.prev,
        })
    } else {
        None
    }
}
