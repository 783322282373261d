//! Records as they are read back.

use bytes::Bytes;
use scorel_proto::Seq;

/// Where a record is in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The record's number.
    pub seq: Seq,
    /// Where its line begins, in bytes from the start of the file.
    pub offset: u64,
    /// The length of its line in bytes, without the newline.
    pub len: u32,
}

impl Place {
    /// The offset of the first byte behind the line: of its newline.
    #[must_use]
    pub fn end(self) -> u64 {
        self.offset + u64::from(self.len)
    }
}

/// An intact record, borrowed from the buffer that it was read into.
#[derive(Debug, Clone, Copy)]
pub struct RecordRef<'a> {
    /// Where it is.
    pub place: Place,
    /// The number of the record that was written before it, or zero.
    pub prev: Seq,
    /// The checksum that it states.
    pub crc: u32,
    /// The whole line, without its newline.
    pub line: &'a str,
}

/// An intact record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Where it is.
    pub place: Place,
    /// The number of the record that was written before it, or zero.
    pub prev: Seq,
    /// The whole line, without its newline.
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
