//! What can go wrong with a journal as a whole.

use std::fmt;
use std::io;
use std::sync::Arc;

use scorel_proto::Seq;

use crate::{DamageReason, FORMAT, MAX_RECORD};

/// Any error, of whoever encodes records.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why an object cannot become a line of a journal.
#[derive(Debug, thiserror::Error)]
pub enum InvalidRecord {
    /// The line would be longer than a record may be.
    #[error("a record of {len} bytes is longer than {MAX_RECORD}")]
    TooLarge {
        /// The length that it would have at least.
        len: usize,
    },
    /// The text is not a JSON object on one line of UTF-8.
    #[error("a record is one JSON object on one line")]
    NotOneLine,
    /// The text is not JSON.
    #[error("a record is one JSON object")]
    Json(#[from] serde_json::Error),
    /// The object already has `prev` or `crc`.
    #[error("`prev` and `crc` are added by the journal")]
    Sealed,
    /// The object does not have the number it was made for.
    #[error("the record does not have number {expected}")]
    Seq {
        /// The number that it was to have.
        expected: Seq,
    },
    /// The header does not have the current format.
    #[error("the header does not have format {expected}")]
    Format {
        /// The format that it was to have.
        expected: u32,
    },
}

/// Why a journal was not created.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// There is a journal in this directory.
    #[error("there is a log already")]
    Exists,
    /// The header cannot be written.
    #[error("invalid header")]
    Header(#[from] InvalidRecord),
    /// The file system refused.
    #[error("cannot {action}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// What the file system said.
        source: io::Error,
    },
}

/// Why a journal was not opened. Nothing was changed.
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
    NewerFormat {
        /// The format in its header.
        found: u32,
    },
    /// The file system refused.
    #[error("cannot {action}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// What the file system said.
        source: io::Error,
    },
}

impl OpenError {
    /// Whether there is no journal at all.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// How a file differs from what the journal wrote last.
#[derive(Debug, thiserror::Error)]
pub enum ForeignChange {
    /// The path names nothing, or something that cannot be looked at.
    #[error("the log cannot be found")]
    Missing(#[source] io::Error),
    /// The path names another file.
    #[error("the log was replaced by another file")]
    Replaced,
    /// The file has another length.
    #[error("the log has {found} bytes instead of {expected}")]
    Length {
        /// The length that the journal knows.
        expected: u64,
        /// The length that the file has.
        found: u64,
    },
}

/// The step after which the state of a file is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedStep {
    /// Making a record durable.
    Sync,
    /// Removing the part of a record that was written.
    CutBack,
}

impl fmt::Display for FailedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sync => "sync a record",
            Self::CutBack => "cut back a record written in part",
        })
    }
}

/// Why nothing is written to a file any more.
#[derive(Debug, Clone, thiserror::Error)]
#[error("could not {step}: {error}")]
pub struct Failure {
    /// What was tried.
    pub step: FailedStep,
    /// What the file system said.
    pub error: Arc<io::Error>,
}

/// Why a record was not appended. It is not in the journal, and nobody may be shown it.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The caller could not encode it.
    #[error("cannot encode the record")]
    Encode(#[source] BoxError),
    /// It cannot be a record.
    #[error("invalid record")]
    Invalid(#[from] InvalidRecord),
    /// There is no number left for it.
    #[error("no number is left")]
    NumbersExhausted,
    /// The disk or the quota is full. What was written was removed again; a later append may
    /// succeed.
    #[error("no space is left")]
    NoSpace(#[source] io::Error),
    /// The write failed for another reason. What was written was removed again; a later append may
    /// succeed.
    #[error("the write failed")]
    Write(#[source] io::Error),
    /// Somebody else changed the file. Nothing was written.
    #[error(transparent)]
    Foreign(#[from] ForeignChange),
    /// The file is not written to any more, since this append or an earlier one.
    #[error("the log has failed")]
    Failed(#[from] Failure),
}

impl AppendError {
    /// Whether appending may succeed later without any repair.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::NoSpace(_) | Self::Write(_))
    }
}

/// Why a journal did not move on to a copy of its file. The journal is as it was.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// Not all records that were published can be read any more.
    #[error("the copy does not hold the published records")]
    Incomplete,
    /// Somebody else changed the file.
    #[error(transparent)]
    Foreign(#[from] ForeignChange),
    /// The file system refused.
    #[error("cannot {action}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// What the file system said.
        source: io::Error,
    },
}

/// Why a log was not repaired. It is as it was, apart from a torn last line.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// A record cannot name the record before it, because it would be too long.
    #[error("a record cannot be kept")]
    Record(#[source] InvalidRecord),
    /// A record that says what was done could not be added.
    #[error("cannot add a record")]
    Append(#[from] AppendError),
    /// No record was added, so numbers that may have been published could be issued again.
    #[error("a repaired log ends with a record of the repair")]
    NoRecord,
    /// The new log does not hold what the old one does.
    #[error("the new log does not hold the intact records")]
    Incomplete,
    /// Somebody else changed the file.
    #[error(transparent)]
    Foreign(#[from] ForeignChange),
    /// The file system refused.
    #[error("cannot {action}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// What the file system said.
        source: io::Error,
    },
}

/// Why a record was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The bytes are not the record that was written there.
    #[error("damage at offset {}: {}", .0.offset, .0.reason)]
    Damaged(crate::Damage),
    /// The file system refused, or the file is shorter than it was.
    #[error("cannot read the log")]
    Io(#[from] io::Error),
}
