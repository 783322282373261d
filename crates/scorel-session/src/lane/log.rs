use scorel_journal::{Journal, Reader, ResumePoint};
use scorel_proto::Seq;

/// The log of a session in memory.
#[derive(Debug)]
pub(crate) enum Log {
    /// It can be written.
    Journal(Journal),
    /// A newer version has written it: this one only reads what it understands.
    ReadOnly {
        /// What reads it.
        reader: Reader,
        /// The number of the last record, or zero.
        last: Seq,
        /// Where that record ends, in bytes.
        end: u64,
    },
}

impl Log {
    /// The journal, if the log can be written.
    pub(crate) fn writable(&mut self) -> Option<&mut Journal> {
        match self {
            Self::Journal(journal) => Some(journal),
            Self::ReadOnly { .. } => None,
        }
    }

    /// The last number that may have been published.
    pub(crate) fn last_seq(&self) -> Seq {
        match self {
            Self::Journal(journal) => journal.last_seq(),
            Self::ReadOnly { last, .. } => *last,
        }
    }

    /// The length of the log up to the end of the last good line, in bytes.
    pub(crate) fn end(&self) -> u64 {
        match self {
            Self::Journal(journal) => journal.end(),
            Self::ReadOnly { end, .. } => *end,
        }
    }

    /// The last record, to begin behind it at the next load.
    pub(crate) fn resume_point(&self) -> Option<ResumePoint> {
        match self {
            Self::Journal(journal) => journal.resume_point(),
            Self::ReadOnly { .. } => None,
        }
    }

    pub(crate) fn reader(&self) -> Reader {
        match self {
            Self::Journal(journal) => journal.reader(),
            Self::ReadOnly { reader, .. } => reader.clone(),
        }
    }
}
