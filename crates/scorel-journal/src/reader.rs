//! Reading a journal, also while it is written.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;

use crate::line::check_record;
use crate::replay::{Found, Replay, Step};
use crate::report::Collector;
use crate::scan::LineScanner;
use crate::storage::{Access, LogFile, Storage, read_exact_at};
use crate::{
    Damage, DamageReason, EVENTS, Header, OpenError, OpenReport, Place, ReadError, Record,
    RecordRef, ResumePoint,
};

/// The file that a journal and its readers use at the moment.
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

/// Reads the records of a journal. Clones are cheap and share one descriptor.
///
/// A reader may be used on any thread while the journal is written. It does not know which records
/// are published: the caller asks only for places and ranges that are.
#[derive(Debug, Clone)]
pub struct Reader {
    file: SharedFile,
}

impl Reader {
    pub(crate) fn new(file: SharedFile) -> Self {
        Self { file }
    }

    /// Opens the journal in `dir` for reading only, whatever its format.
    ///
    /// # Errors
    ///
    /// As [`Journal::open`](crate::Journal::open), but never [`OpenError::NewerFormat`].
    pub fn open(storage: &dyn Storage, dir: &Path) -> Result<(Self, Header), OpenError> {
        let failed = |source| OpenError::Io {
            action: "open the log",
            source,
        };
        let file = storage
            .open(&dir.join(EVENTS), Access::Read)
            .map_err(failed)?;
        let len = file.status().map_err(failed)?.len;
        let header = Header::read(&file, len)?;
        let file = SharedFile::new(file);
        Ok((Self { file }, header))
    }

    /// Reads the record at `place` and checks it.
    ///
    /// # Errors
    ///
    /// [`ReadError::Damaged`] if the record with this number is not there any more.
    pub fn read(&self, place: Place) -> Result<Bytes, ReadError> {
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

    /// Reads the records in a range of bytes that begins and ends where records do, in order and in
    /// bounded memory. Damage is an error in its place; reading goes on behind it.
    #[must_use]
    pub fn records(&self, range: Range<u64>) -> Records {
        let lines = LineScanner::new(self.file.get(), range.start, range.end);
        Records {
            replay: Some(Replay::of_part(lines)),
            found: VecDeque::new(),
        }
    }

    /// Whether the record of `point` is in this journal, so that opening can begin behind it.
    #[must_use]
    pub fn holds(&self, point: &ResumePoint) -> bool {
        point.verify(&*self.file.get())
    }

    /// Reads the whole journal as opening it does, changing nothing: a torn last line is reported
    /// where it is.
    ///
    /// # Errors
    ///
    /// As [`Reader::open`].
    pub fn scan(&self, visit: &mut dyn FnMut(RecordRef<'_>)) -> Result<OpenReport, OpenError> {
        let file = self.file.get();
        let status = file.status().map_err(|source| OpenError::Io {
            action: "read the log",
            source,
        })?;
        let header = Header::read(&file, status.len)?;
        let mut collector = Collector::from_start(&header);
        collector.collect(&file, status.len, visit)?;
        Ok(collector.into_report(header))
    }
}

/// The records of a range; see [`Reader::records`].
pub struct Records {
    /// Nothing, once reading has ended.
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
                    Found::Record(record) => Ok(record.into()),
                    Found::Damage(damage) => Err(ReadError::Damaged(damage)),
                });
            });
            match step {
                Ok(Step::Line) => {}
                Ok(Step::Rest(_) | Step::End) => self.replay = None,
                Err(error) => {
                    self.replay = None;
                    self.found.push_back(Err(error.into()));
                }
            }
        }
        self.found.pop_front()
    }
}
