use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Take};

use super::error::TranscriptProblem;

/// The longest line in bytes: an image as base64.
pub const MAX_LINE: u64 = 64 * 1024 * 1024;

/// The most lines of a transcript. An index of them is held in memory.
pub const MAX_LINES: u64 = 1_000_000;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a transcript, one at a time. Blank ones are left out, and a byte order mark before the first.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    reader: Take<BufReader<&'a File>>,
    buffer: Vec<u8>,
    count: u64,
}

/// A line without its end.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8],
    /// True if the line ends with a line break: the last one may be half written.
    pub(super) is_whole: bool,
}

impl<'a> Lines<'a> {
    /// The first `len` bytes of a file, from its start.
    pub(super) fn new(file: &'a File, len: u64) -> Result<Self, TranscriptProblem> {
        let mut reader = BufReader::with_capacity(256 * 1024, file);
        reader.seek(SeekFrom::Start(0))?;
        Ok(Self {
            reader: reader.take(len),
            buffer: Vec::new(),
            count: 0,
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>, TranscriptProblem> {
        loop {
            self.buffer.clear();
            let mut limited = self.reader.by_ref().take(MAX_LINE + 1);
            if limited.read_until(b'\n', &mut self.buffer)? == 0 {
                return Ok(None);
            }
            let is_whole = self.buffer.ends_with(b"\n");
            if self.buffer.len() as u64 > MAX_LINE {
                return Err(TranscriptProblem::LineTooLong { limit: MAX_LINE });
            }
            let at = if self.count == 0 && self.buffer.starts_with(MARK) {
                MARK.len()
            } else {
                0
            };
            if self.buffer[at..].trim_ascii().is_empty() {
                continue;
            }
            self.count += 1;
            if self.count > MAX_LINES {
                return Err(TranscriptProblem::TooManyLines { limit: MAX_LINES });
            }
            return Ok(Some(Line {
                bytes: self.buffer[at..].trim_ascii(),
                is_whole,
            }));
        }
    }
}
