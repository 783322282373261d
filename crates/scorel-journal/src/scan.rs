//! Splitting a file into lines in bounded memory.

use std::io;
use std::sync::Arc;

use crate::MAX_RECORD;
use crate::storage::LogFile;

/// Bytes read at a time.
const CHUNK: usize = 256 * 1024;

#[derive(Debug)]
pub(crate) enum LinePiece<'b> {
    /// At most [`MAX_RECORD`] bytes, without the newline.
    Line { offset: u64, bytes: &'b [u8] },
    /// A longer line; `tail` is its end, where an intact record may be.
    Oversize {
        offset: u64,
        len: u64,
        tail: &'b [u8],
    },
    /// The bytes after the last newline; `tail` is their end, at most [`MAX_RECORD`] bytes.
    Unterminated {
        offset: u64,
        len: u64,
        tail: &'b [u8],
    },
}

/// Reads the lines of a range of a file.
#[derive(Debug)]
pub(crate) struct LineScanner {
    file: Arc<dyn LogFile>,
    /// Offset of the next read.
    next: u64,
    /// End of the range.
    end: u64,
    /// Offset of the current line.
    line: u64,
    /// Bytes that were read and not returned, preceded by those returned last.
    buffer: Vec<u8>,
    /// Index in the buffer of the current line's bytes.
    start: usize,
    /// Index in the buffer up to which there is no newline after `start`.
    searched: usize,
}

impl LineScanner {
    /// `from` must be the start of a line.
    pub(crate) fn new(file: Arc<dyn LogFile>, from: u64, end: u64) -> Self {
        Self {
            file,
            next: from,
            end,
            line: from,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
        }
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<LinePiece<'_>>> {
        loop {
            let newline = memchr::memchr(b'\n', &self.buffer[self.searched..]);
            if let Some(at) = newline {
                return Ok(Some(self.take_line(self.searched + at)));
            }
            self.searched = self.buffer.len();
            if self.next >= self.end {
                return Ok(self.take_rest());
            }
            self.fill()?;
        }
    }

    fn take_line(&mut self, newline: usize) -> LinePiece<'_> {
        let tail = self.start..newline;
        let offset = self.line;
        let after = self.next - (self.buffer.len() - newline - 1) as u64;
        let len = after - 1 - offset;
        self.start = newline + 1;
        self.searched = self.start;
        self.line = after;
        let bytes = &self.buffer[tail];
        if len > MAX_RECORD as u64 {
            let tail = &bytes[bytes.len().saturating_sub(MAX_RECORD)..];
            LinePiece::Oversize { offset, len, tail }
        } else {
            LinePiece::Line { offset, bytes }
        }
    }

    fn take_rest(&mut self) -> Option<LinePiece<'_>> {
        let offset = self.line;
        let len = self.next - offset;
        let tail = &self.buffer[self.start..];
        self.start = self.buffer.len();
        self.line = self.next;
        (len > 0).then(|| LinePiece::Unterminated {
            offset,
            len,
            tail: &tail[tail.len().saturating_sub(MAX_RECORD)..],
        })
    }

    /// Reads the next chunk. Of an oversize line only the last [`MAX_RECORD`] bytes are kept.
    fn fill(&mut self) -> io::Result<()> {
        let needed = self.buffer.len() - self.start;
        let dropped = self.start + needed.saturating_sub(MAX_RECORD);
        self.buffer.drain(..dropped);
        self.start = 0;
        let kept = self.buffer.len();
        self.searched = kept;
        let rest = usize::try_from(self.end - self.next).unwrap_or(usize::MAX);
        self.buffer.resize(kept + rest.min(CHUNK), 0);
        let read = self.file.read_at(&mut self.buffer[kept..], self.next);
        let count = *read.as_ref().unwrap_or(&0);
        self.buffer.truncate(kept + count);
        self.next += count as u64;
        match read? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}
