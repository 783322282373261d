//! Lines in, intact records and damage out.

use std::io;

use scorel_proto::Seq;

use crate::line::{Head, check_record};
use crate::salvage::intact_records;
use crate::scan::{LineScanner, Piece};
use crate::{Damage, DamageReason, Place, RecordRef};

/// What a replay came upon.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    Record(RecordRef<'a>),
    Damage(Damage),
}

/// Bytes at the end of a file that no newline ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rest {
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

/// What one step of a replay read.
#[derive(Debug)]
pub(crate) enum Step {
    Line,
    /// The last bytes, which no newline ends. Nothing was found in them.
    Rest(Rest),
    End,
}

/// Where a replay begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Start {
    /// At the beginning of a line, behind the record with this number if it is known.
    Line(Option<Seq>),
    /// Right behind the record with this number, whose newline is still to come.
    Record(Seq),
}

/// Reads lines in order, checks them and finds what is intact.
#[derive(Debug)]
pub(crate) struct Replay {
    lines: LineScanner,
    last: Option<Seq>,
    newline_due: bool,
    /// Whether the file may end within a line. If not, its last bytes are a line too.
    may_end_torn: bool,
}

impl Replay {
    /// Replays a file to its end, which may be torn.
    pub(crate) fn of_file(lines: LineScanner, start: Start) -> Self {
        let (last, newline_due) = match start {
            Start::Line(last) => (last, false),
            Start::Record(last) => (Some(last), true),
        };
        Self {
            lines,
            last,
            newline_due,
            may_end_torn: true,
        }
    }

    /// Replays a part of a file that ends where a line ends, with its newline or without.
    pub(crate) fn of_part(lines: LineScanner) -> Self {
        Self {
            may_end_torn: false,
            ..Self::of_file(lines, Start::Line(None))
        }
    }

    /// Reads one line and gives `sink` everything that is found in it.
    pub(crate) fn step(&mut self, sink: &mut dyn FnMut(Found<'_>)) -> io::Result<Step> {
        let newline_due = std::mem::take(&mut self.newline_due);
        let Some(piece) = self.lines.next()? else {
            return Ok(Step::End);
        };
        match piece {
            Piece::Line { bytes: b"", .. } if newline_due => {}
            Piece::Line { offset, bytes } => line(&mut self.last, offset, bytes, sink),
            Piece::Oversize { offset, len, tail } => {
                oversize(&mut self.last, offset, len, tail, sink);
            }
            Piece::Unterminated { offset, len, .. } if self.may_end_torn => {
                return Ok(Step::Rest(Rest { offset, len }));
            }
            Piece::Unterminated { offset, len, tail } => {
                if tail.len() as u64 == len {
                    line(&mut self.last, offset, tail, sink);
                } else {
                    oversize(&mut self.last, offset, len, tail, sink);
                }
            }
        }
        Ok(Step::Line)
    }
}

fn line(last: &mut Option<Seq>, offset: u64, bytes: &[u8], sink: &mut dyn FnMut(Found<'_>)) {
    match check_record(bytes) {
        Ok(head) => accept(last, offset, bytes, head, sink),
        Err(reason) => salvage(last, offset, bytes, reason, sink),
    }
}

fn oversize(
    last: &mut Option<Seq>,
    offset: u64,
    len: u64,
    tail: &[u8],
    sink: &mut dyn FnMut(Found<'_>),
) {
    let skipped = len - tail.len() as u64;
    let reason = DamageReason::Oversize;
    let first = intact_records(tail)
        .first()
        .map_or(tail.len(), |range| range.start);
    sink(Found::Damage(Damage {
        offset,
        len: skipped + first as u64,
        reason,
    }));
    if first < tail.len() {
        let rest = &tail[first..];
        salvage(last, offset + skipped + first as u64, rest, reason, sink);
    }
}

/// Reports the bad bytes of a line and serves the intact records in it.
fn salvage(
    last: &mut Option<Seq>,
    offset: u64,
    bytes: &[u8],
    reason: DamageReason,
    sink: &mut dyn FnMut(Found<'_>),
) {
    let mut done = 0;
    let damage = |from: usize, to: usize, sink: &mut dyn FnMut(Found<'_>)| {
        sink(Found::Damage(Damage {
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
        done = range.end;
        let record = &bytes[range.clone()];
        if let Ok(head) = check_record(record) {
            accept(last, offset + range.start as u64, record, head, sink);
        }
    }
    if done < bytes.len() {
        damage(done, bytes.len(), sink);
    }
}

/// Serves an intact record if its number is above the last one.
fn accept(
    last: &mut Option<Seq>,
    offset: u64,
    bytes: &[u8],
    head: Head,
    sink: &mut dyn FnMut(Found<'_>),
) {
    let place = Place {
        seq: head.seq,
        offset,
        len: u32::try_from(bytes.len()).expect("a record is at most 4 MiB long"),
    };
    if let Some(reason) = misplaced(*last, head) {
        sink(Found::Damage(Damage {
            offset,
            len: u64::from(place.len),
            reason,
        }));
        if matches!(reason, DamageReason::Order { .. }) {
            return;
        }
    }
    *last = Some(head.seq);
    sink(Found::Record(RecordRef {
        place,
        prev: head.prev,
        crc: head.crc,
        line: std::str::from_utf8(bytes).expect("an intact record is text"),
    }));
}

/// Why a record does not belong right behind the record with the number `last`.
fn misplaced(last: Option<Seq>, head: Head) -> Option<DamageReason> {
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
