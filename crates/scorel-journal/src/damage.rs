//! What can be wrong in a journal that is otherwise served.

use scorel_proto::Seq;
use serde::{Deserialize, Serialize};

/// A place in a journal that is not as it was written. Damage is reported and never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// Where it begins, in bytes from the start of the file.
    pub offset: u64,
    /// How many bytes it covers, without the newline; an empty line covers its newline.
    pub len: u64,
    /// What is wrong.
    pub reason: DamageReason,
}

/// What is wrong with a place in a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum DamageReason {
    /// The bytes do not have the form of a record.
    #[error("not a record")]
    Malformed,
    /// The bytes differ from those that were written.
    #[error("the checksum does not match")]
    Checksum,
    /// The line is longer than a record may be.
    #[error("longer than a record may be")]
    Oversize,
    /// An intact record whose number is not above the one before it. It is not served.
    #[error("number {found} does not follow number {last}")]
    Order {
        /// The number of the last record before it.
        last: Seq,
        /// The record's own number.
        found: Seq,
    },
    /// An intact record that follows another one than stands before it: records are missing. The
    /// record itself is served.
    #[error("records between number {last} and number {expected} are missing")]
    Gap {
        /// The number of the last record before it.
        last: Seq,
        /// The number of the record that it was written after.
        expected: Seq,
    },
}
