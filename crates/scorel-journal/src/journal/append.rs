//! Appending a record.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use scorel_proto::Seq;

use super::{Appended, Durability, Journal};
use crate::line::{Sealed, seal_record};
use crate::storage::is_no_space;
use crate::{AppendError, BoxError, FailedStep, Failure, ForeignChange, Place, ResumePoint};

impl Journal {
    /// Appends the record that `encode` makes for its number, and returns when it counts as
    /// written.
    ///
    /// `encode` returns a JSON object on one line with that number as `seq` and without `prev` and
    /// `crc`. The line is written with one system call. If this fails, the record is not in the
    /// journal, and its number is not issued again while this journal is open.
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

    /// Whether the path still names the file that this journal wrote, and with this length.
    pub(super) fn check_unchanged(&self, len: Option<u64>) -> Result<(), ForeignChange> {
        let found = self
            .storage
            .status(&self.path)
            .map_err(ForeignChange::Missing)?;
        if found.id != self.id {
            return Err(ForeignChange::Replaced);
        }
        match len {
            Some(expected) if expected != found.len => Err(ForeignChange::Length {
                expected,
                found: found.len,
            }),
            _ => Ok(()),
        }
    }

    /// Writes a line and makes it durable, or leaves nothing of it.
    fn write(&mut self, line: &[u8]) -> Result<(), AppendError> {
        if let Err(error) = self.write_whole(line) {
            if let Err(error) = self.file.set_len(self.end) {
                return Err(self.fail(FailedStep::CutBack, error).into());
            }
            return Err(if is_no_space(&error) {
                AppendError::NoSpace(error)
            } else {
                AppendError::Write(error)
            });
        }
        if self.durability == Durability::Sync
            && let Err(error) = self.file.sync_data()
        {
            // The record was refused. Whoever opens this file next should not find it there.
            let _best_effort: io::Result<()> = self.file.set_len(self.end);
            return Err(self.fail(FailedStep::Sync, error).into());
        }
        Ok(())
    }

    /// A file system that runs out of space in the middle of a write says so with a short write.
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

    fn appended(&mut self, seq: Seq, prev: Seq, sealed: Sealed) -> Appended {
        let mut line = Bytes::from(sealed.bytes);
        let offset = self.end;
        self.end += line.len() as u64;
        line.truncate(line.len() - 1);
        let len = u32::try_from(line.len()).expect("a record is at most 4 MiB long");
        let place = Place { seq, offset, len };
        self.numbers.recorded();
        self.last = Some(ResumePoint::behind(self.last, place, sealed.crc));
        Appended { place, prev, line }
    }
}
