//! The writer of one log file.

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
use serde::{Deserialize, Serialize};

use crate::reader::SharedFile;
use crate::seq_allocator::SeqAllocator;
use crate::storage::{FileId, LogFile, Storage};
use crate::{Failure, NeedsRecord, Reader, RecordPosition, ResumePoint};

use torn::ReadOnlyLog;

pub use open::Opened;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Durability {
    /// `fdatasync` after every record: it survives a power failure.
    #[default]
    Sync,
    /// `write` only: a record survives the process, not a power failure.
    Flush,
}

/// The writer of a log. The caller makes sure that there is only one per directory.
///
/// Methods may block on the disk unless they say that they do no I/O.
#[derive(Debug)]
pub struct Journal {
    storage: Arc<dyn Storage>,
    dir: PathBuf,
    path: PathBuf,
    file: Arc<dyn LogFile>,
    shared: SharedFile,
    /// Device and inode, compared before every write: an editor that saves the log, or a restored
    /// backup, puts another file under its name.
    id: FileId,
    /// Length of the file up to the end of the last good line; what a failed write is truncated to.
    end: u64,
    /// Set until the first append if the log was opened on a read-only file system.
    /// Boxed, for it is rare and a journal is kept for every session in use.
    read_only: Option<Box<ReadOnlyLog>>,
    last: Option<ResumePoint>,
    numbers: SeqAllocator,
    durability: Durability,
    failure: Option<Failure>,
}

impl Journal {
    /// Issues the next sequence number to a transient event. Does no I/O.
    ///
    /// # Errors
    ///
    /// [`NeedsRecord`] if a record must be appended first.
    pub fn next_transient(&mut self) -> Result<Seq, NeedsRecord> {
        self.numbers.next_transient()
    }

    /// Zero if there is no record.
    pub fn last_record_seq(&self) -> Seq {
        self.numbers.last_record()
    }

    /// The last sequence number that was issued, also to a record whose write failed. Right after
    /// opening: the last one that may have been published before.
    pub fn last_seq(&self) -> Seq {
        self.numbers.last_issued()
    }

    /// The last sequence number of the block that the last record reserves. Transient events get
    /// smaller ones.
    pub fn reserved_through(&self) -> Seq {
        self.numbers.reserved_through()
    }

    /// Offset of the end of the last good line, where the next one goes.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The last record, for opening this journal without reading what precedes it; `None` if there is
    /// no record.
    pub fn resume_point(&self) -> Option<ResumePoint> {
        self.last
    }

    /// The reason why every append fails; `None` if appending is possible.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// A reader of this journal. It follows [`Journal::recover_by_copy`] to the new file.
    pub fn reader(&self) -> Reader {
        Reader::new(self.shared.clone())
    }
}

/// The proof that a record is in a journal. Only a journal constructs it, so that an event which was
/// not written cannot be published.
#[derive(Debug, Clone)]
#[must_use = "an appended record is to be published"]
pub struct Appended {
    place: RecordPosition,
    prev: Seq,
    line: Bytes,
}

impl Appended {
    pub fn seq(&self) -> Seq {
        self.place.seq
    }

    /// The sequence number of the previous record, or zero.
    pub fn prev(&self) -> Seq {
        self.prev
    }

    pub fn place(&self) -> RecordPosition {
        self.place
    }

    /// Without its newline.
    pub fn line(&self) -> &Bytes {
        &self.line
    }
}
