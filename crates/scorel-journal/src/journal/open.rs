//! Opening a journal.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_proto::Seq;

use super::torn::ReadOnlyLog;
use super::{Durability, Journal, torn};
use crate::reader::SharedFile;
use crate::report::ReplayCollector;
use crate::seq_allocator::{ContinueAt, PublishedTraces, SeqAllocator};
use crate::storage::{FileId, LogFile, OpenMode, Storage, is_no_space, is_read_only};
use crate::{
    DamageReason, EVENTS, FORMAT, LogHeader, OpenError, OpenReport, Reader, RecordRef, ResumePoint,
    StepError,
};

/// A journal that was read and is not writable yet: which sequence number comes next depends on what
/// its records mean, which only the caller knows.
#[derive(Debug)]
pub struct Opened {
    pub(super) storage: Arc<dyn Storage>,
    pub(super) dir: PathBuf,
    pub(super) path: PathBuf,
    pub(super) file: Arc<dyn LogFile>,
    shared: SharedFile,
    pub(super) id: FileId,
    pub(super) end: u64,
    read_only: Option<Box<ReadOnlyLog>>,
    last: Option<ResumePoint>,
    pub(super) traces: PublishedTraces,
    pub(super) report: OpenReport,
}

impl Journal {
    /// Opens the journal in `dir` and calls `visit` with each intact record after `resume`, or with
    /// all of them if there is no resume point or it does not match. Memory use does not depend on
    /// the length of the log.
    ///
    /// Nothing is written unless the last line is torn. That line was never acknowledged; it is moved
    /// to `events.jsonl.torn-<offset>` and reported this once. On a read-only or full file system it stays,
    /// and the first append that succeeds moves it.
    ///
    /// # Errors
    ///
    /// See [`OpenError`]. Damage after the header is not an error; it is in the report.
    pub fn open(
        storage: Arc<dyn Storage>,
        dir: &Path,
        resume: Option<ResumePoint>,
        visit: &mut dyn FnMut(RecordRef<'_>),
    ) -> Result<Opened, OpenError> {
        let path = dir.join(EVENTS);
        let (file, mut writable) =
            open_file(&*storage, &path).map_err(StepError::of("open the log"))?;
        let status = file.status().map_err(StepError::of("look at the log"))?;
        let header = current_header(&file, status.len)?;
        let mut collector = match &resume {
            Some(point) => ReplayCollector::resuming(&header, &*file, point),
            None => ReplayCollector::from_start(&header),
        };
        collector.collect(&file, status.len, visit)?;
        let mut end = status.len;
        if let (Some(rest), Some(tail)) = (collector.rest, &mut collector.torn) {
            if writable {
                match torn::move_aside(&*storage, dir, &*file, rest) {
                    Err(error) if is_no_space(&error) => writable = false,
                    moved => {
                        let moved = moved.map_err(StepError::of("move a torn line aside"))?;
                        tail.moved_to = Some(moved);
                    }
                }
            }
            end = rest.offset;
        }
        let left = collector.rest.filter(|_| !writable);
        let read_only = (!writable).then(|| Box::new(ReadOnlyLog { torn: left }));
        let behind = collector.last.map_or(0, |point| point.place().end());
        let moved = torn::count_behind(&*storage, dir, behind);
        let moved = moved.map_err(StepError::of("list the log's directory"))?;
        let traces = PublishedTraces {
            last: collector.last.map_or(Seq::ZERO, |point| point.seq()),
            lost_lines: collector.lost_lines + moved + u64::from(left.is_some()),
            known: resume.map_or(Seq::ZERO, |point| point.seq()),
        };
        Ok(Opened {
            storage,
            dir: dir.to_owned(),
            path,
            shared: SharedFile::new(Arc::clone(&file)),
            file,
            id: status.id,
            end,
            read_only,
            last: collector.last,
            traces,
            report: collector.into_report(header),
        })
    }
}

impl Opened {
    pub fn report(&self) -> &OpenReport {
        &self.report
    }

    /// Zero if there is no record.
    pub fn last_record_seq(&self) -> Seq {
        self.traces.last
    }

    /// The offset of the end of the last complete line, in bytes.
    pub fn end(&self) -> u64 {
        self.end
    }

    pub fn reader(&self) -> Reader {
        Reader::new(self.shared.clone())
    }

    /// The writable journal. Sequence numbers continue at `at`, or further on if lines at the end of
    /// the file are lost, whose numbers may have been published.
    pub fn into_journal(self, at: ContinueAt, durability: Durability) -> Journal {
        Journal {
            numbers: SeqAllocator::new(self.traces, at),
            storage: self.storage,
            dir: self.dir,
            path: self.path,
            file: self.file,
            shared: self.shared,
            id: self.id,
            end: self.end,
            read_only: self.read_only,
            last: self.last,
            durability,
            failure: None,
        }
    }
}

/// Opens the log, and says whether it can be written.
fn open_file(storage: &dyn Storage, path: &Path) -> io::Result<(Arc<dyn LogFile>, bool)> {
    match storage.open(path, OpenMode::Append) {
        Err(error) if is_read_only(&error) => Ok((storage.open(path, OpenMode::Read)?, false)),
        opened => Ok((opened?, true)),
    }
}

/// Reads the header and checks that this version can write its format.
fn current_header(file: &Arc<dyn LogFile>, len: u64) -> Result<LogHeader, OpenError> {
    let header = LogHeader::read(file, len)?;
    match header.format() {
        FORMAT => Ok(header),
        found if found > FORMAT => Err(OpenError::NewerFormat { found }),
        _ => Err(OpenError::HeaderDamaged(DamageReason::Malformed)),
    }
}
