//! The report of opening a journal.

use std::path::PathBuf;
use std::sync::Arc;

use scorel_proto::Seq;

use crate::replay::{Replay, ReplayItem, ReplayStart, ReplayStep, TornBytes};
use crate::resume::ResumePoint;
use crate::scan::LineScanner;
use crate::storage::LogFile;
use crate::{Damage, LogHeader, OpenError, RecordRef, StepError};

/// Ranges of damage that are listed; the rest is counted. A zeroed gigabyte must not become a gigabyte
/// of reports.
const MAX_DAMAGE: usize = 1024;

#[derive(Debug, Clone)]
pub struct OpenReport {
    pub header: LogHeader,
    /// Intact records that were visited.
    pub records: u64,
    /// The first 1,024 damaged ranges after the position where reading began.
    pub damage: Vec<Damage>,
    /// Number of further damaged ranges.
    pub more_damage: u64,
    pub torn: Option<TornTail>,
    pub resumed: Resumed,
}

/// Where reading began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumed {
    /// At the first record; there was no resume point.
    FromStart,
    /// After the resume point.
    FromPoint,
    /// At the first record, because the resume point does not match the log.
    PointRejected,
}

/// A last line without a newline: a record whose write was interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// In bytes from the start of the file.
    pub offset: u64,
    /// In bytes.
    pub len: u64,
    /// `None` if the log was opened read-only.
    pub moved_to: Option<PathBuf>,
}

/// Runs a replay and collects the report.
#[derive(Debug)]
pub(crate) struct ReplayCollector {
    from: u64,
    start: ReplayStart,
    resumed: Resumed,
    pub(crate) records: u64,
    damage: Vec<Damage>,
    more_damage: u64,
    pub(crate) last: Option<ResumePoint>,
    /// Damaged lines after the last intact record.
    pub(crate) lost_lines: u64,
    pub(crate) rest: Option<TornBytes>,
    pub(crate) torn: Option<TornTail>,
}

impl ReplayCollector {
    pub(crate) fn from_start(header: &LogHeader) -> Self {
        Self {
            from: header.end(),
            start: ReplayStart::Line(Some(Seq::ZERO)),
            resumed: Resumed::FromStart,
            records: 0,
            damage: Vec::new(),
            more_damage: 0,
            last: None,
            lost_lines: 0,
            rest: None,
            torn: None,
        }
    }

    /// Starts after `point` if that is a record of this file.
    pub(crate) fn resuming(header: &LogHeader, file: &dyn LogFile, point: &ResumePoint) -> Self {
        let from_start = Self::from_start(header);
        if point.verify(file) {
            Self {
                from: point.place().end(),
                start: ReplayStart::Record(point.seq()),
                resumed: Resumed::FromPoint,
                last: Some(*point),
                ..from_start
            }
        } else {
            Self {
                resumed: Resumed::PointRejected,
                ..from_start
            }
        }
    }

    /// Replays the file up to `end`.
    pub(crate) fn collect(
        &mut self,
        file: &Arc<dyn LogFile>,
        end: u64,
        visit: &mut dyn FnMut(RecordRef<'_>),
    ) -> Result<(), OpenError> {
        let lines = LineScanner::new(Arc::clone(file), self.from, end);
        let mut replay = Replay::of_file(lines, self.start);
        loop {
            let step = replay.step(&mut |found| self.take(&found, visit));
            match step.map_err(StepError::of("read the log"))? {
                ReplayStep::Line => {}
                ReplayStep::Rest(rest) => self.rest = Some(rest),
                ReplayStep::End => break,
            }
        }
        self.torn = self.rest.map(|rest| TornTail {
            offset: rest.offset,
            len: rest.len,
            moved_to: None,
        });
        Ok(())
    }

    fn take(&mut self, found: &ReplayItem<'_>, visit: &mut dyn FnMut(RecordRef<'_>)) {
        match found {
            ReplayItem::Record(record) => {
                self.records += 1;
                self.lost_lines = 0;
                self.last = Some(ResumePoint::behind(self.last, record.place, record.crc));
                visit(*record);
            }
            ReplayItem::Damage(damage) => {
                if !damage.reason.is_of_a_served_record() {
                    self.lost_lines += 1;
                }
                if self.damage.len() < MAX_DAMAGE {
                    self.damage.push(*damage);
                } else {
                    self.more_damage += 1;
                }
            }
        }
    }

    /// Returns whether there was no damage and no torn line.
    pub(crate) fn is_intact(&self) -> bool {
        self.damage.is_empty() && self.torn.is_none()
    }

    pub(crate) fn into_report(self, header: LogHeader) -> OpenReport {
        OpenReport {
            header,
            records: self.records,
            damage: self.damage,
            more_damage: self.more_damage,
            torn: self.torn,
            resumed: self.resumed,
        }
    }
}
