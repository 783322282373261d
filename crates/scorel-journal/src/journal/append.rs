//! Appending a record.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use scorel_proto::Seq;

use super::torn::{self, ReadOnlyLog};
use super::{Appended, Durability, Journal};
use crate::line::{SealedLine, seal_record};
use crate::storage::{OpenMode, is_read_only};
use crate::{
    AppendError, BoxError, FailedStep, Failure, ForeignChange, RecordPosition, ResumePoint,
};

impl Journal {
    /// Appends the record that `encode` makes for its sequence number, and returns when it is as
    /// durable as [`Durability`] says.
    ///
    /// `encode` returns a JSON object on one line with that number as `seq` and without `prev` and
    /// `crc`. On failure the record is not in the journal, and its number is not issued again while
    /// this journal is open: a reader may have seen the bytes.
    ///
    /// # Errors
    ///
    /// See [`AppendError`].
    pub fn append<E: Into<BoxError>>(
        &mut self,
        encode: impl FnOnce(Seq) -> Result<Vec<u8>, E>,
    ) -> Result<Appended, AppendError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone().into());
        }
        self.make_writable()?;
        let prev = self.numbers.last_record();
        let seq = self
            .numbers
            .next_record()
            .ok_or(AppendError::NumbersExhausted)?;
        let json = encode(seq).map_err(|error| AppendError::Encode(error.into()))?;
        let sealed = seal_record(json, seq, prev)?;
        self.check_unchanged(Some(self.end))?;
        self.write(&sealed.bytes)?;
        Ok(self.appended(seq, prev, sealed))
    }

    /// Opens the file for writing that was on a read-only or full file system so far, and moves a torn line
    /// aside.
    fn make_writable(&mut self) -> Result<(), AppendError> {
        let Some(ReadOnlyLog { torn }) = self.read_only.as_deref().copied() else {
            return Ok(());
        };
        let opened = self.storage.open(&self.path, OpenMode::Append);
        let file = opened.map_err(AppendError::Write)?;
        self.check_unchanged(Some(self.end + torn.map_or(0, |torn| torn.len)))?;
        if let Some(rest) = torn {
            torn::move_aside(&*self.storage, &self.dir, &*file, rest)
                .map_err(AppendError::of_write)?;
        }
        self.shared.set(Arc::clone(&file));
        self.file = file;
        self.read_only = None;
        Ok(())
    }

    /// Fails if another process has replaced the file or, with `len`, changed its length. Appending
    /// would otherwise go to an unlinked file, or continue a line that is not this journal's.
    pub(super) fn check_unchanged(&self, len: Option<u64>) -> Result<(), ForeignChange> {
        ForeignChange::check(&*self.storage, &self.path, self.id, len)
    }

    /// Writes and syncs a line, or leaves nothing of it.
    fn write(&mut self, line: &[u8]) -> Result<(), AppendError> {
        if let Err(error) = self.write_whole(line) {
            if is_read_only(&error) {
                // Nothing was written, and the file system would refuse to truncate it too.
                return Err(AppendError::Write(error));
            }
            if let Err(error) = self.file.set_len(self.end) {
                return Err(self.fail(FailedStep::CutBack, error).into());
            }
            return Err(AppendError::of_write(error));
        }
        if self.durability == Durability::Sync
            && let Err(error) = self.file.sync_data()
        {
            // The file is given up, and a second fdatasync is never tried: Linux reports a failed
            // writeback once, marks the pages clean and may report success the next time, although
            // the data never reached the disk ("fsyncgate", 2018). The caller is told that the
            // record is not there, so truncate it from what the next daemon will read.
            let _best_effort: io::Result<()> = self.file.set_len(self.end);
            return Err(self.fail(FailedStep::Sync, error).into());
        }
        Ok(())
    }

    /// One `write` for the whole line, so that a crash leaves at most one partial line, the last. A
    /// file system that runs out of space within a write reports that as a short write; writing the
    /// rest would fail with `ENOSPC` anyway.
    fn write_whole(&self, line: &[u8]) -> io::Result<()> {
        let written = self.file.append(line)?;
        if written == line.len() {
            return Ok(());
        }
        let text = format!("wrote {written} of {} bytes", line.len());
        Err(io::Error::new(io::ErrorKind::StorageFull, text))
    }

    fn fail(&mut self, step: FailedStep, error: io::Error) -> Failure {
        let error = Arc::new(error);
        let failure = Failure { step, error };
        self.failure = Some(failure.clone());
        failure
    }

    fn appended(&mut self, seq: Seq, prev: Seq, sealed: SealedLine) -> Appended {
        let mut line = Bytes::from(sealed.bytes);
        let offset = self.end;
        self.end += line.len() as u64;
        line.truncate(line.len() - 1);
        let len = u32::try_from(line.len()).expect("a record is at most 4 MiB long");
        let place = RecordPosition { seq, offset, len };
        self.numbers.recorded();
        self.last = Some(ResumePoint::behind(self.last, place, sealed.crc));
        Appended { place, prev, line }
    }
}
