//! The expected result of a flipped bit, derived from the documented format without the journal's code.

use std::ops::Range;
use std::path::PathBuf;

use scorel_journal::{Damage, DamageReason, EVENTS, OpenReport, Record, TornTail};
use scorel_proto::Seq;

use super::image::{Image, dir, log};
use crate::ram::Ram;

/// The expected report of a log with one flipped bit after the header.
#[derive(Debug)]
pub(super) struct Expected {
    /// The record that is not served.
    lost: Option<usize>,
    damage: Vec<Damage>,
    /// Offset of the last line if it has no newline.
    torn: Option<usize>,
}

impl Expected {
    /// For `bytes`, which differ from the image in one bit of byte `at`.
    pub(super) fn after_flip(image: &Image, bytes: &[u8], at: usize) -> Self {
        let record = image.record_at(at);
        let line = image.line(record);
        if at < line.end {
            Self {
                lost: Some(record),
                damage: changed_line(image, bytes, at, record),
                torn: None,
            }
        } else if record + 1 < image.records.len() {
            // Two intact records on one line, which still ends like a record.
            Self {
                lost: None,
                damage: vec![damage(at..at + 1, DamageReason::Checksum)],
                torn: None,
            }
        } else {
            Self {
                lost: Some(record),
                damage: Vec::new(),
                torn: Some(line.start),
            }
        }
    }

    /// Checks the report, and that all records but the lost one are served.
    pub(super) fn check_report(&self, image: &Image, report: &OpenReport, records: &[Record]) {
        let lost = self.lost.unwrap_or(image.records.len());
        let (before, behind) = records.split_at(lost.min(records.len()));
        assert_eq!(before, &image.records[..lost]);
        assert_eq!(behind, image.records.get(lost + 1..).unwrap_or_default());
        assert_eq!(report.damage, self.damage);
        let torn = self.torn.map(|at| TornTail {
            offset: at as u64,
            len: (image.bytes.len() - at) as u64,
            moved_to: Some(torn_path(at)),
        });
        assert_eq!(report.torn, torn);
    }

    /// Checks that opening `bytes` changed nothing, or moved only the torn line.
    pub(super) fn check_files(&self, bytes: &[u8], ram: &Ram) {
        let (kept, moved) = bytes.split_at(self.torn.unwrap_or(bytes.len()));
        assert_eq!(ram.bytes(&log()), kept);
        let torn = self.torn.map(torn_path);
        if let Some(path) = &torn {
            assert_eq!(ram.bytes(path), moved);
        }
        let files: Vec<PathBuf> = std::iter::once(log()).chain(torn).collect();
        assert_eq!(ram.paths(), files);
    }
}

/// A record's line is damaged, or has become two lines, and there is a gap before the next record.
fn changed_line(image: &Image, bytes: &[u8], at: usize, record: usize) -> Vec<Damage> {
    let line = image.line(record);
    let mut found = Vec::new();
    if bytes[at] == b'\n' {
        found.push(damage(line.start..at, reason(&bytes[line.start..at])));
        found.push(damage(at + 1..line.end, reason(&bytes[at + 1..line.end])));
    } else {
        found.push(damage(line.clone(), reason(&bytes[line])));
    }
    if record + 1 < image.records.len() {
        let before = record.checked_sub(1).map(|n| image.records[n].place.seq);
        let gap = DamageReason::Gap {
            last: before.unwrap_or(Seq::ZERO),
            expected: image.records[record].place.seq,
        };
        found.push(damage(image.line(record + 1), gap));
    }
    found
}

/// The reason of a damaged line: `Checksum` only if it still ends with the form of one.
pub(super) fn reason(line: &[u8]) -> DamageReason {
    let end = &line[line.len().saturating_sub(18)..];
    let has_checksum = end
        .strip_prefix(b",\"crc\":\"")
        .and_then(|rest| rest.strip_suffix(b"\"}"))
        .is_some_and(|digits| digits.iter().all(|b| b"0123456789abcdef".contains(b)));
    if has_checksum {
        DamageReason::Checksum
    } else {
        DamageReason::Malformed
    }
}

fn damage(place: Range<usize>, reason: DamageReason) -> Damage {
    Damage {
        offset: place.start as u64,
        len: place.len() as u64,
        reason,
    }
}

/// The file that a torn line at this offset is moved to.
pub(super) fn torn_path(at: usize) -> PathBuf {
    dir().join(format!("{EVENTS}.torn-{at}"))
}
