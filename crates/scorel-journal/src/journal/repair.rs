//! Rewriting a damaged log without its damage.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_proto::Seq;

use super::torn::keep;
use super::{Durability, Journal, Opened};
use crate::line::reseal_record;
use crate::reader::SharedFile;
use crate::replay::{Replay, ReplayItem, ReplayStart, ReplayStep, TornBytes};
use crate::report::ReplayCollector;
use crate::scan::LineScanner;
use crate::seq_allocator::{ContinueAt, SeqAllocator};
use crate::storage::{LogFile, append_all, remove_if_present};
use crate::{
    AppendError, EVENTS, ForeignChange, InvalidRecord, LogHeader, RecordPosition, RecordRef,
    RepairError, ResumePoint, StepError,
};

/// Bytes written at a time.
const CHUNK: usize = 256 * 1024;

/// The new log while it is written.
#[derive(Debug)]
struct Rewrite {
    file: Arc<dyn LogFile>,
    /// Lines that are not written yet.
    buffer: Vec<u8>,
    /// Length of the new log, `buffer` included.
    end: u64,
    last: Option<ResumePoint>,
    records: u64,
}

impl Opened {
    /// Replaces the log by one with its intact records only. Returns the path of the original, which
    /// is kept as `events.jsonl.before-repair-<seq>`, with the sequence number of the first record
    /// that `mark` appended.
    ///
    /// A record after a gap gets the `prev` of its new predecessor; all other bytes of intact records
    /// stay. `mark` is called with the new log before that takes its place, and appends at least one
    /// record. Its number is above all that may have been published: once the damage is gone, the number
    /// of lost lines can no longer be determined.
    ///
    /// # Errors
    ///
    /// See [`RepairError`]. The log is unchanged, unless only the last sync failed.
    pub fn repair(
        self,
        mark: impl FnOnce(&mut Journal) -> Result<(), AppendError>,
    ) -> Result<PathBuf, RepairError> {
        let temporary = self.dir.join(format!("{EVENTS}.repaired"));
        let repaired = self.replace(&temporary, mark);
        if repaired.is_err() {
            // The first error is the one to report.
            let _ = remove_if_present(&*self.storage, &temporary);
        }
        repaired
    }

    fn replace(
        &self,
        temporary: &Path,
        mark: impl FnOnce(&mut Journal) -> Result<(), AppendError>,
    ) -> Result<PathBuf, RepairError> {
        let storage = &*self.storage;
        // The order: the new log is durable and verified, then the original has a durable copy, then
        // the rename. A crash leaves the original, or the new log beside a copy of the original.
        let first = self.write(temporary, mark)?;
        ForeignChange::check(storage, &self.path, self.id, Some(self.end))?;
        let whole = TornBytes {
            offset: 0,
            len: self.end,
        };
        let ending = format!("before-repair-{first}");
        let kept = keep(storage, &self.dir, &*self.file, whole, &ending);
        let kept = kept.map_err(StepError::of("keep a copy of the log"))?;
        storage
            .rename(temporary, &self.path)
            .map_err(StepError::of("replace the log"))?;
        storage
            .sync_dir(&self.dir)
            .map_err(StepError::of("sync the log's directory"))?;
        Ok(kept)
    }

    /// Writes and syncs the new log. Returns the sequence number of the first record of `mark`.
    fn write(
        &self,
        temporary: &Path,
        mark: impl FnOnce(&mut Journal) -> Result<(), AppendError>,
    ) -> Result<Seq, RepairError> {
        remove_if_present(&*self.storage, temporary)
            .map_err(StepError::of("remove an unfinished log"))?;
        let file = self.storage.create_new(temporary);
        let file = file.map_err(StepError::of("create a log"))?;
        let rewrite = self.copy_intact(&file)?;
        let (copied, end) = (rewrite.records, rewrite.end);
        let mut journal = self.journal_on(temporary, rewrite)?;
        mark(&mut journal)?;
        if journal.last_record_seq() == self.traces.last {
            return Err(RepairError::NoRecord);
        }
        file.sync_data()
            .map_err(StepError::of("sync the new log"))?;
        verify(&journal, copied, end)
    }

    fn copy_intact(&self, file: &Arc<dyn LogFile>) -> Result<Rewrite, RepairError> {
        let header = &self.report.header;
        let mut rewrite = Rewrite::new(Arc::clone(file), header);
        let lines = LineScanner::new(Arc::clone(&self.file), header.end(), self.end);
        let mut replay = Replay::of_file(lines, ReplayStart::Line(Some(Seq::ZERO)));
        let mut taken = Ok(());
        loop {
            let step = replay.step(&mut |found| {
                if let (ReplayItem::Record(record), true) = (found, taken.is_ok()) {
                    taken = rewrite.take(record);
                }
            });
            match step.map_err(StepError::of("read the log"))? {
                ReplayStep::End => break,
                ReplayStep::Line | ReplayStep::Rest(_) => {}
            }
            std::mem::replace(&mut taken, Ok(())).map_err(RepairError::Record)?;
            rewrite.flush_from(CHUNK)?;
        }
        rewrite.flush_from(0)?;
        Ok(rewrite)
    }

    fn journal_on(&self, path: &Path, rewrite: Rewrite) -> Result<Journal, RepairError> {
        let status = rewrite.file.status();
        Ok(Journal {
            storage: Arc::clone(&self.storage),
            dir: self.dir.clone(),
            path: path.to_owned(),
            shared: SharedFile::new(Arc::clone(&rewrite.file)),
            id: status.map_err(StepError::of("look at the new log"))?.id,
            file: rewrite.file,
            end: rewrite.end,
            read_only: None,
            last: rewrite.last,
            numbers: SeqAllocator::new(self.traces, ContinueAt::Reserve),
            // Synced once, before the rename.
            durability: Durability::Flush,
            failure: None,
        })
    }
}

impl Rewrite {
    fn new(file: Arc<dyn LogFile>, header: &LogHeader) -> Self {
        Self {
            file,
            buffer: format!("{}\n", header.text()).into_bytes(),
            end: header.end(),
            last: None,
            records: 0,
        }
    }

    fn take(&mut self, record: RecordRef<'_>) -> Result<(), InvalidRecord> {
        let before = self.last.map_or(Seq::ZERO, |last| last.seq());
        let begin = self.buffer.len();
        let crc = if record.prev == before {
            self.buffer.extend_from_slice(record.line.as_bytes());
            self.buffer.push(b'\n');
            record.crc
        } else {
            let sealed = reseal_record(record.line, record.prev, before)?;
            self.buffer.extend_from_slice(&sealed.bytes);
            sealed.crc
        };
        let len = self.buffer.len() - begin;
        let place = RecordPosition {
            seq: record.place.seq,
            offset: self.end,
            len: u32::try_from(len - 1).expect("a record is at most 4 MiB long"),
        };
        self.end += len as u64;
        self.records += 1;
        self.last = Some(ResumePoint::behind(self.last, place, crc));
        Ok(())
    }

    /// Writes the buffer if it holds at least `len` bytes.
    fn flush_from(&mut self, len: usize) -> Result<(), RepairError> {
        if self.buffer.len() >= len {
            append_all(&*self.file, &self.buffer).map_err(StepError::of("write the new log"))?;
            self.buffer.clear();
        }
        Ok(())
    }
}

/// Reads the new log back: all of it must be intact, with `copied` records before offset `end`. Returns
/// the sequence number of the first record after that.
fn verify(journal: &Journal, copied: u64, end: u64) -> Result<Seq, RepairError> {
    let header =
        LogHeader::read(&journal.file, journal.end).map_err(|_| RepairError::Incomplete)?;
    let mut collector = ReplayCollector::from_start(&header);
    let mut before = 0;
    let mut first = None;
    let read = collector.collect(&journal.file, journal.end, &mut |record| {
        if record.place.offset < end {
            before += 1;
        } else {
            first.get_or_insert(record.place.seq);
        }
    });
    let whole = read.is_ok() && collector.is_intact() && collector.last == journal.last;
    first
        .filter(|_| whole && before == copied)
        .ok_or(RepairError::Incomplete)
}
