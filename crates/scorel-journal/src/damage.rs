//! Damage: bytes of a log that are not as they were written. The rest of the log is served.

use scorel_proto::Seq;
use serde::{Deserialize, Serialize};

/// A damaged range of a log. It is reported and left in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// In bytes from the start of the file.
    pub offset: u64,
    /// In bytes, without the newline; 1 for an empty line.
    pub len: u64,
    pub reason: DamageReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum DamageReason {
    #[error("not a record")]
    Malformed,
    #[error("the checksum does not match")]
    Checksum,
    /// Longer than [`MAX_RECORD`](crate::MAX_RECORD).
    #[error("longer than a record may be")]
    Oversize,
    /// An intact record with a sequence number that is not above the previous one, for example because
    /// a block of the file was duplicated. It is not served.
    #[error("number {found} does not follow number {last}")]
    Order {
        /// That of the last record before it.
        last: Seq,
        /// Its own.
        found: Seq,
    },
    /// An intact record right behind another one on its line. Nothing is missing but the newline
    /// between them; this record is served.
    #[error("the newline before this record is missing")]
    Joined,
    /// An intact record whose `prev` is not the sequence number of the record before it. The records in
    /// between are missing; this one is served.
    #[error("records between number {last} and number {expected} are missing")]
    Gap {
        /// That of the last record before it.
        last: Seq,
        /// Its `prev`.
        expected: Seq,
    },
}

impl DamageReason {
    /// Returns whether the record in the damaged range is intact and served: only what should precede it is
    /// missing.
    pub const fn is_of_a_served_record(self) -> bool {
        matches!(self, Self::Gap { .. } | Self::Joined)
    }
}
