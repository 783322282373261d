//! Errors of whole journals. A damaged record is no error but [`Damage`](crate::Damage).

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use scorel_proto::Seq;

use crate::{DamageReason, FORMAT, FileId, MAX_RECORD, Storage, is_out_of_descriptors, storage};

/// An error of the caller that encodes a record.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The reason why an object cannot become a line of a journal.
#[derive(Debug, thiserror::Error)]
pub enum InvalidRecord {
    #[error("a record of {len} bytes is longer than {MAX_RECORD}")]
    TooLarge {
        /// A lower bound of the line's length in bytes.
        len: usize,
    },
    /// Not a JSON object on one line of UTF-8.
    #[error("a record is one JSON object on one line")]
    NotOneLine,
    #[error("a record is one JSON object")]
    Json(#[from] serde_json::Error),
    #[error("`prev` and `crc` are added by the journal")]
    Sealed,
    /// The object has another `seq` than the one it was encoded for.
    #[error("the record does not have `seq` {expected}")]
    Seq { expected: Seq },
    #[error("the header does not have format {expected}")]
    Format { expected: u32 },
}

/// A step on the files of a journal that the system refused.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action}")]
pub struct StepError {
    /// Completes "cannot …".
    pub action: &'static str,
    pub source: io::Error,
}

impl StepError {
    /// Makes the error of a step of that of its system call.
    pub(crate) fn of(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { action, source }
    }
}

/// The reason why a journal was not created.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    #[error("there is a log already")]
    Exists,
    #[error("invalid header")]
    Header(#[from] InvalidRecord),
    #[error(transparent)]
    Io(#[from] StepError),
}

impl CreateError {
    /// Returns whether too many files are open; a later attempt may succeed.
    pub fn is_out_of_descriptors(&self) -> bool {
        matches!(self, Self::Io(step) if is_out_of_descriptors(&step.source))
    }
}

/// The reason why a journal was not opened. No file was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file is empty, or ends within its first line.
    #[error("the log has no header")]
    HeaderMissing,
    /// The first line is not an intact header.
    #[error("the log's header is damaged: {0}")]
    HeaderDamaged(DamageReason),
    /// The journal was written in a format that this version does not know. It can still be read
    /// with [`Reader`](crate::Reader).
    #[error("the log has format {found}; this version writes format {FORMAT}")]
    NewerFormat { found: u32 },
    #[error(transparent)]
    Io(#[from] StepError),
}

impl OpenError {
    /// Returns whether the log file does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io(step) if step.source.kind() == io::ErrorKind::NotFound)
    }

    /// Returns whether too many files are open; a later attempt may succeed.
    pub fn is_out_of_descriptors(&self) -> bool {
        matches!(self, Self::Io(step) if is_out_of_descriptors(&step.source))
    }
}

/// Another process changed the log.
#[derive(Debug, thiserror::Error)]
pub enum ForeignChange {
    #[error("the log cannot be found")]
    Missing(#[source] io::Error),
    /// The path names another inode.
    #[error("the log was replaced by another file")]
    Replaced,
    #[error("the log has {found} bytes instead of {expected}")]
    Length { expected: u64, found: u64 },
}

impl ForeignChange {
    /// Fails if the log at `path` is not the file with this `id` or, with `len`, has another length.
    pub(crate) fn check(
        storage: &dyn Storage,
        path: &Path,
        id: FileId,
        len: Option<u64>,
    ) -> Result<(), Self> {
        let found = storage.status(path).map_err(Self::Missing)?;
        if found.id != id {
            return Err(Self::Replaced);
        }
        match len {
            Some(expected) if expected != found.len => Err(Self::Length {
                expected,
                found: found.len,
            }),
            _ => Ok(()),
        }
    }
}

/// A step whose failure leaves the content of the file unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedStep {
    /// `fdatasync` of a record.
    Sync,
    /// Truncating a record that was written in part.
    CutBack,
}

impl fmt::Display for FailedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sync => "sync a record",
            Self::CutBack => "truncate a record written in part",
        })
    }
}

/// The reason why the journal no longer writes to its file.
#[derive(Debug, Clone, thiserror::Error)]
#[error("could not {step}: {error}")]
pub struct Failure {
    pub step: FailedStep,
    pub error: Arc<io::Error>,
}

/// The reason why a record was not appended. It is not in the journal and must not be published.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    #[error("cannot encode the record")]
    Encode(#[source] BoxError),
    #[error("invalid record")]
    Invalid(#[from] InvalidRecord),
    /// The next sequence number would exceed `Seq::MAX`.
    #[error("no sequence number is left")]
    NumbersExhausted,
    /// The disk or the quota is full. The partial line was truncated; a later append may succeed.
    #[error("no space is left")]
    NoSpace(#[source] io::Error),
    /// Another error of `write`. The partial line was truncated; a later append may succeed.
    #[error("the write failed")]
    Write(#[source] io::Error),
    /// Nothing was written.
    #[error(transparent)]
    Foreign(#[from] ForeignChange),
    /// This append or an earlier one made the file unusable for writing.
    #[error("the log has failed")]
    Failed(#[from] Failure),
}

impl AppendError {
    /// The error of a write that left nothing behind.
    pub(crate) fn of_write(error: io::Error) -> Self {
        match storage::is_no_space(&error) {
            true => Self::NoSpace(error),
            false => Self::Write(error),
        }
    }

    /// Returns whether a later append may succeed without a repair.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::NoSpace(_) | Self::Write(_))
    }
}

/// The reason why a journal did not move on to a copy of its file. It is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// Some published records can no longer be read.
    #[error("the copy does not hold the published records")]
    Incomplete,
    #[error(transparent)]
    Foreign(#[from] ForeignChange),
    #[error(transparent)]
    Io(#[from] StepError),
}

impl CopyError {
    /// Returns whether the file system is full or read-only; a later attempt may succeed.
    pub fn may_pass(&self) -> bool {
        let may_pass = |source| storage::is_read_only(source) || storage::is_no_space(source);
        matches!(self, Self::Io(step) if may_pass(&step.source))
    }
}

/// The reason why a log was not repaired. It is unchanged, apart from a torn last line.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// Its new `prev` has more digits, and the line would be too long.
    #[error("a record cannot be kept")]
    Record(#[source] InvalidRecord),
    /// A record about the repair could not be appended.
    #[error("cannot append a record")]
    Append(#[from] AppendError),
    /// `mark` appended no record. Without one, published sequence numbers could be issued again.
    #[error("a repaired log ends with a record of the repair")]
    NoRecord,
    #[error("the new log does not hold the intact records")]
    Incomplete,
    #[error(transparent)]
    Foreign(#[from] ForeignChange),
    #[error(transparent)]
    Io(#[from] StepError),
}

/// The reason why a record was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("damage at offset {}: {}", .0.offset, .0.reason)]
    Damaged(crate::Damage),
    /// Also if the file is shorter than it was.
    #[error("cannot read the log")]
    Io(#[from] io::Error),
}
