//! A file cut into lines, in bounded memory.

use std::io;
use std::sync::Arc;

use crate::MAX_RECORD;
use crate::storage::LogFile;

/// How much is read at a time, in bytes.
const CHUNK: usize = 256 * 1024;

/// One line of a file.
#[derive(Debug)]
pub(crate) enum Piece<'b> {
    /// A complete line of at most [`MAX_RECORD`] bytes, without its newline.
    Line { offset: u64, bytes: &'b [u8] },
    /// A complete line of `len` bytes, of which `tail` is the end.
    Oversize {
        offset: u64,
        len: u64,
        tail: &'b [u8],
    },
    /// The bytes behind the last newline, of which `tail` is the end (all, if they are no more
    /// than [`MAX_RECORD`]).
    Unterminated {
        offset: u64,
        len: u64,
        tail: &'b [u8],
    },
}

/// Reads the lines of a part of a file.
#[derive(Debug)]
pub(crate) struct LineScanner {
    file: Arc<dyn LogFile>,
    /// Where the next bytes are read.
    next: u64,
    /// Where reading ends.
    end: u64,
    /// Where the current line begins.
    line: u64,
    /// Bytes that were read and not given out, and before them those given out last.
    buffer: Vec<u8>,
    /// Where in the buffer the kept bytes of the current line begin.
    start: usize,
    /// Up to where in the buffer no newline follows `start`.
    searched: usize,
}

impl LineScanner {
    /// Reads the bytes from `from` to `end`; a line begins at `from`.
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

    /// The next line, or nothing at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
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

    fn take_line(&mut self, newline: usize) -> Piece<'_> {
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
            Piece::Oversize { offset, len, tail }
        } else {
            Piece::Line { offset, bytes }
        }
    }

    fn take_rest(&mut self) -> Option<Piece<'_>> {
        let offset = self.line;
        let len = self.next - offset;
        let tail = &self.buffer[self.start..];
        self.start = self.buffer.len();
        self.line = self.next;
        (len > 0).then(|| Piece::Unterminated {
            offset,
            len,
            tail: &tail[tail.len().saturating_sub(MAX_RECORD)..],
        })
    }

    /// Reads the next chunk behind the bytes that are still needed.
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
