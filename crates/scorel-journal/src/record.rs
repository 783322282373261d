//! Records read from a log.

use bytes::Bytes;
use scorel_proto::Seq;

/// The position of a record in its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordPosition {
    pub seq: Seq,
    /// Start of the line, in bytes.
    pub offset: u64,
    /// Length of the line in bytes, without the newline.
    pub len: u32,
}

impl RecordPosition {
    /// The offset of the newline.
    pub fn end(self) -> u64 {
        self.offset + u64::from(self.len)
    }
}

/// An intact record, borrowed from the buffer that it was read into.
#[derive(Debug, Clone, Copy)]
pub struct RecordRef<'a> {
    pub place: RecordPosition,
    /// The sequence number of the previous record, or zero.
    pub prev: Seq,
    pub crc: u32,
    /// The line without its newline.
    pub line: &'a str,
}

/// An intact record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub place: RecordPosition,
    /// The sequence number of the previous record, or zero.
    pub prev: Seq,
    /// The line without its newline.
    pub line: Bytes,
}

impl From<RecordRef<'_>> for Record {
    fn from(record: RecordRef<'_>) -> Self {
        Self {
            place: record.place,
            prev: record.prev,
            line: Bytes::copy_from_slice(record.line.as_bytes()),
        }
    }
}
