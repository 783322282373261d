use scorel_journal::{Journal, Reader, ResumePoint};
use scorel_proto::Seq;

/// A loaded session's log.
#[derive(Debug)]
pub(super) enum SessionLog {
    Writable(Journal),
    /// Written by a newer version. This version serves what it understands and appends nothing,
    /// because the newer one might not understand that.
    ReadOnly {
        reader: Reader,
        /// The last record's seq, or zero.
        last: Seq,
        /// The end of the last record, in bytes.
        end: u64,
    },
}

impl SessionLog {
    pub(super) fn writable(&mut self) -> Option<&mut Journal> {
        match self {
            Self::Writable(journal) => Some(journal),
            Self::ReadOnly { .. } => None,
        }
    }

    /// The highest seq that may have been published.
    pub(super) fn last_seq(&self) -> Seq {
        match self {
            Self::Writable(journal) => journal.last_seq(),
            Self::ReadOnly { last, .. } => *last,
        }
    }

    /// The end of the last intact line, in bytes.
    pub(super) fn end(&self) -> u64 {
        match self {
            Self::Writable(journal) => journal.end(),
            Self::ReadOnly { end, .. } => *end,
        }
    }

    /// Where the next load can resume with a checkpoint. A read-only log gets no checkpoint.
    pub(super) fn resume_point(&self) -> Option<ResumePoint> {
        match self {
            Self::Writable(journal) => journal.resume_point(),
            Self::ReadOnly { .. } => None,
        }
    }

    pub(super) fn reader(&self) -> Reader {
        match self {
            Self::Writable(journal) => journal.reader(),
            Self::ReadOnly { reader, .. } => reader.clone(),
        }
    }
}
