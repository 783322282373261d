//! What opening a journal found.

use std::path::PathBuf;
use std::sync::Arc;

use scorel_proto::Seq;

use crate::replay::{Found, Replay, Rest, Start, Step};
use crate::resume::ResumePoint;
use crate::scan::LineScanner;
use crate::storage::LogFile;
use crate::{Damage, DamageReason, Header, OpenError, RecordRef};

/// How many places of damage are listed one by one.
const MAX_DAMAGE: usize = 1024;

/// What opening a journal found.
#[derive(Debug, Clone)]
pub struct OpenReport {
    /// The journal's first line.
    pub header: Header,
    /// How many intact records were visited.
    pub records: u64,
    /// What is damaged behind the place where reading began, in order; the first 1,024 places.
    pub damage: Vec<Damage>,
    /// How many more places are damaged.
    pub more_damage: u64,
    /// The unterminated last line, if there was one.
    pub torn: Option<TornTail>,
    /// Where reading began.
    pub resumed: Resumed,
}

/// Where reading a journal began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumed {
    /// At its first record, as asked for.
    FromStart,
    /// Behind the resume point.
    FromPoint,
    /// At its first record, because the resume point is not one of this journal.
    PointRejected,
}

/// A last line that no newline ends: the part of a record whose writing was interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// Where it began, in bytes from the start of the file.
    pub offset: u64,
    /// Its length in bytes.
    pub len: u64,
    /// The file that it was moved to, or nothing if the journal was only read.
    pub moved_to: Option<PathBuf>,
}

/// Gathers what a replay finds.
#[derive(Debug)]
pub(crate) struct Collector {
    from: u64,
    start: Start,
    resumed: Resumed,
    pub(crate) records: u64,
    damage: Vec<Damage>,
    more_damage: u64,
    /// The last intact record.
    pub(crate) last: Option<ResumePoint>,
    /// Damaged lines behind the last intact record.
    pub(crate) lost_lines: u64,
    pub(crate) rest: Option<Rest>,
    pub(crate) torn: Option<TornTail>,
}

impl Collector {
    pub(crate) fn from_start(header: &Header) -> Self {
        Self {
            from: header.end(),
            start: Start::Line(Some(Seq::ZERO)),
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

    /// Begins behind `point` if it is a record of this file.
    pub(crate) fn resuming(header: &Header, file: &dyn LogFile, point: &ResumePoint) -> Self {
        let from_start = Self::from_start(header);
        if point.verify(file) {
            Self {
                from: point.place().end(),
                start: Start::Record(point.seq()),
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
            match step {
                Ok(Step::Line) => {}
                Ok(Step::Rest(rest)) => self.rest = Some(rest),
                Ok(Step::End) => break,
                Err(source) => {
                    return Err(OpenError::Io {
                        action: "read the log",
                        source,
                    });
                }
            }
        }
        self.torn = self.rest.map(|rest| TornTail {
            offset: rest.offset,
            len: rest.len,
            moved_to: None,
        });
        Ok(())
    }

    fn take(&mut self, found: &Found<'_>, visit: &mut dyn FnMut(RecordRef<'_>)) {
        match found {
            Found::Record(record) => {
                self.records += 1;
                self.lost_lines = 0;
                self.last = Some(ResumePoint::behind(self.last, record.place, record.crc));
                visit(*record);
            }
            Found::Damage(damage) => {
                if !matches!(damage.reason, DamageReason::Gap { .. }) {
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

    /// Whether nothing but intact records was found.
    pub(crate) fn is_intact(&self) -> bool {
        self.damage.is_empty() && self.torn.is_none()
    }

    pub(crate) fn into_report(self, header: Header) -> OpenReport {
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
