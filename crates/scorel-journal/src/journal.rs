//! The journal: one writer of one file.

mod append;
mod copy;
mod create;
mod open;
mod repair;
mod torn;

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use scorel_proto::Seq;

use crate::numbers::Numbers;
use crate::reader::SharedFile;
use crate::storage::{FileId, LogFile, Storage};
use crate::{Failure, NeedsRecord, Place, Reader, ResumePoint};

pub use open::Opened;

/// When a record counts as written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// When it is on the disk: it survives a power failure.
    #[default]
    Sync,
    /// When the operating system has it: it survives the end of the process only.
    Flush,
}

/// The writer of a journal. There must be only one for each directory.
///
/// All methods may block on the disk, except where they say that they do no I/O.
#[derive(Debug)]
pub struct Journal {
    storage: Arc<dyn Storage>,
    dir: PathBuf,
    path: PathBuf,
    file: Arc<dyn LogFile>,
    shared: SharedFile,
    /// Which file this journal writes.
    id: FileId,
    /// The length of the file up to the last byte that is known to be good.
    end: u64,
    /// The last record.
    last: Option<ResumePoint>,
    numbers: Numbers,
    durability: Durability,
    failure: Option<Failure>,
}

impl Journal {
    /// Issues the next number to a transient event. Does no I/O.
    ///
    /// # Errors
    ///
    /// [`NeedsRecord`] if a record must be appended first.
    pub fn next_transient(&mut self) -> Result<Seq, NeedsRecord> {
        self.numbers.next_transient()
    }

    /// The number of the last record, or zero.
    #[must_use]
    pub fn last_record_seq(&self) -> Seq {
        self.numbers.last_record()
    }

    /// The last number that was issued, also to a record whose writing failed. Right after opening:
    /// the last number that may have been published before.
    #[must_use]
    pub fn last_seq(&self) -> Seq {
        self.numbers.last_issued()
    }

    /// The last number that the last record reserves: transient events get those before it.
    #[must_use]
    pub fn reserved_through(&self) -> Seq {
        self.numbers.reserved_through()
    }

    /// The length of the file up to the end of the last good line, in bytes.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The last record, to begin behind it when this journal is opened again; nothing if there is
    /// no record.
    #[must_use]
    pub fn resume_point(&self) -> Option<ResumePoint> {
        self.last
    }

    /// Why nothing is written any more, or nothing if appending is possible.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// A reader of this journal. It stays valid when the journal moves on to a copy.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::new(self.shared.clone())
    }
}

/// The proof that a record is in a journal. Only a journal makes it.
#[derive(Debug, Clone)]
#[must_use = "an appended record is to be published"]
pub struct Appended {
    place: Place,
    prev: Seq,
    line: Bytes,
}

impl Appended {
    /// The record's number.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.place.seq
    }

    /// The number of the record before it, or zero.
    #[must_use]
    pub fn prev(&self) -> Seq {
        self.prev
    }

    /// Where the record is.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// The whole line, without its newline.
    #[must_use]
    pub fn line(&self) -> &Bytes {
        &self.line
    }
}
