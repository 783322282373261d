//! Reading a log, also while it is written.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;

use crate::line::check_record;
use crate::replay::{Replay, ReplayItem, ReplayStep};
use crate::report::ReplayCollector;
use crate::scan::LineScanner;
use crate::storage::{LogFile, OpenMode, Storage, read_exact_at};
use crate::{
    Damage, DamageReason, EVENTS, LogHeader, OpenError, OpenReport, ReadError, Record,
    RecordPosition, RecordRef, ResumePoint, StepError,
};

/// The current file of a journal, shared with its readers: [`Journal::recover_by_copy`] replaces it.
///
/// [`Journal::recover_by_copy`]: crate::Journal::recover_by_copy
#[derive(Debug, Clone)]
pub(crate) struct SharedFile(Arc<RwLock<Arc<dyn LogFile>>>);

impl SharedFile {
    pub(crate) fn new(file: Arc<dyn LogFile>) -> Self {
        Self(Arc::new(RwLock::new(file)))
    }

    pub(crate) fn get(&self) -> Arc<dyn LogFile> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, file: Arc<dyn LogFile>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = file;
    }
}

/// Reads records. Clones share one file descriptor; reads are positional (`pread`), so any number of
/// threads may read while the journal is written.
///
/// A reader does not know which records are published. Callers pass published places and ranges only:
/// an append in progress may still fail.
#[derive(Debug, Clone)]
pub struct Reader {
    file: SharedFile,
}

impl Reader {
    pub(crate) fn new(file: SharedFile) -> Self {
        Self { file }
    }

    /// Opens the log in `dir` read-only, whatever its format.
    ///
    /// # Errors
    ///
    /// As [`Journal::open`](crate::Journal::open), but never [`OpenError::NewerFormat`].
    pub fn open(storage: &dyn Storage, dir: &Path) -> Result<(Self, LogHeader), OpenError> {
        let reader = Self::reopen(storage, dir)?;
        let file = reader.file.get();
        let len = file.status().map_err(StepError::of("open the log"))?.len;
        let header = LogHeader::read(&file, len)?;
        Ok((reader, header))
    }

    /// Opens the log in `dir` read-only, without its header: the caller has read it before.
    ///
    /// # Errors
    ///
    /// [`OpenError::Io`].
    pub fn reopen(storage: &dyn Storage, dir: &Path) -> Result<Self, OpenError> {
        let file = storage.open(&dir.join(EVENTS), OpenMode::Read);
        let file = SharedFile::new(file.map_err(StepError::of("open the log"))?);
        Ok(Self { file })
    }

    /// Reads and verifies the record at `place`.
    ///
    /// # Errors
    ///
    /// [`ReadError::Damaged`] if the record is no longer there.
    pub fn read(&self, place: RecordPosition) -> Result<Bytes, ReadError> {
        let mut line = vec![0; place.len as usize];
        read_exact_at(&*self.file.get(), &mut line, place.offset)?;
        let reason = match check_record(&line) {
            Ok(head) if head.seq == place.seq => return Ok(line.into()),
            Ok(_) => DamageReason::Malformed,
            Err(reason) => reason,
        };
        Err(ReadError::Damaged(Damage {
            offset: place.offset,
            len: u64::from(place.len),
            reason,
        }))
    }

    /// Reads the records in a range of offsets that starts and ends at line boundaries, in bounded
    /// memory. Damage is an `Err` item in its place; the iterator goes on after it.
    pub fn records(&self, range: Range<u64>) -> Records {
        let lines = LineScanner::new(self.file.get(), range.start, range.end);
        Records {
            replay: Some(Replay::of_part(lines)),
            found: VecDeque::new(),
        }
    }

    /// Returns whether the log can be opened from `point`.
    pub fn holds(&self, point: &ResumePoint) -> bool {
        point.verify(&*self.file.get())
    }

    /// Reads the whole log like [`Journal::open`](crate::Journal::open), but changes nothing: a torn last
    /// line is reported and left in place.
    ///
    /// # Errors
    ///
    /// As [`Reader::open`].
    pub fn scan(&self, visit: &mut dyn FnMut(RecordRef<'_>)) -> Result<OpenReport, OpenError> {
        let file = self.file.get();
        let status = file.status().map_err(StepError::of("read the log"))?;
        let header = LogHeader::read(&file, status.len)?;
        let mut collector = ReplayCollector::from_start(&header);
        collector.collect(&file, status.len, visit)?;
        Ok(collector.into_report(header))
    }
}

/// The records of a range; see [`Reader::records`].
pub struct Records {
    /// `None` at the end.
    replay: Option<Replay>,
    found: VecDeque<Result<Record, ReadError>>,
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").finish_non_exhaustive()
    }
}

impl Iterator for Records {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.found.is_empty() {
            let found = &mut self.found;
            let step = self.replay.as_mut()?.step(&mut |item| {
                found.push_back(match item {
                    ReplayItem::Record(record) => Ok(record.into()),
                    ReplayItem::Damage(damage) => Err(ReadError::Damaged(damage)),
                });
            });
            match step {
                Ok(ReplayStep::Line) => {}
                Ok(ReplayStep::Rest(_) | ReplayStep::End) => self.replay = None,
                Err(error) => {
                    self.replay = None;
                    self.found.push_back(Err(error.into()));
                }
            }
        }
        self.found.pop_front()
    }
}
