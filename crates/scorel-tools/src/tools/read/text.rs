//! UTF-8 text files, read in pieces.

use std::io::Read as _;

use scorel_files::digest;
use scorel_proto::BlobHash;
use sha2::{Digest as _, Sha256};

use crate::error::{ErrorCode, ToolError};
use crate::limits::MAX_FILE_BYTES;
use crate::pace::{Interruption, Pace};

use super::opened_file::OpenedFile;

const BUFFER_BYTES: usize = 64 * 1024;

/// An open text file, read in bounded memory.
#[derive(Debug)]
pub(super) struct TextFile<'a> {
    opened: &'a OpenedFile<'a>,
    pace: &'a Pace,
    buffer: Vec<u8>,
    /// Bytes at the start of the buffer that were returned already.
    given: usize,
    /// Filled bytes of the buffer.
    filled: usize,
    read: u64,
    /// True if the end of the file was reached.
    pub(super) is_complete: bool,
    hash: Sha256,
}

impl<'a> TextFile<'a> {
    /// A file at offset 0.
    pub(super) fn new(opened: &'a OpenedFile<'a>, pace: &'a Pace) -> Self {
        Self {
            opened,
            pace,
            buffer: vec![0; BUFFER_BYTES],
            given: 0,
            filled: 0,
            read: 0,
            is_complete: false,
            hash: Sha256::new(),
        }
    }

    /// The next piece; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<&str>, ToolError> {
        loop {
            self.pace
                .check()
                .map_err(|interruption| self.interrupted(interruption))?;
            self.buffer.copy_within(self.given..self.filled, 0);
            let carry = self.filled - self.given;
            let count = self.fill(carry)?;
            self.filled = carry + count;
            self.given = 0;
            if count == 0 {
                if carry > 0 {
                    return Err(self.not_text());
                }
                self.is_complete = true;
                return Ok(None);
            }
            let valid = self.valid_length(carry)?;
            self.given = valid;
            if valid > 0 {
                // Validated above; this does it again, but `unsafe` is forbidden.
                return match std::str::from_utf8(&self.buffer[..valid]) {
                    Ok(text) => Ok(Some(text)),
                    Err(_) => Err(self.not_text()),
                };
            }
        }
    }

    /// Returns whether the file is too large to be read to its end just for its hash and line count.
    pub(super) fn is_large(&self) -> bool {
        self.bytes() > MAX_FILE_BYTES
    }

    /// The size: bytes read if the end was reached, else from the metadata.
    pub(super) fn bytes(&self) -> u64 {
        if self.is_complete {
            self.read
        } else {
            self.opened.size.max(self.read)
        }
    }

    /// The hash of the file, if all of it was read and it is not large.
    pub(super) fn hash(&self) -> Option<BlobHash> {
        let hashed = self.is_complete && !self.is_large();
        hashed.then(|| digest(self.hash.clone()))
    }

    fn fill(&mut self, carry: usize) -> Result<usize, ToolError> {
        let count = loop {
            match (&self.opened.file).read(&mut self.buffer[carry..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other.map_err(|error| self.opened.failed(&error))?,
            }
        };
        self.read += count as u64;
        if self.read <= MAX_FILE_BYTES {
            self.hash.update(&self.buffer[carry..carry + count]);
        }
        Ok(count)
    }

    /// The length of the longest prefix of the buffer that is valid UTF-8.
    fn valid_length(&self, carry: usize) -> Result<usize, ToolError> {
        let piece = &self.buffer[..self.filled];
        if piece[carry..].contains(&0) {
            return Err(self.not_text());
        }
        match std::str::from_utf8(piece) {
            Ok(text) => Ok(text.len()),
            // The beginning of a character, three bytes at most.
            Err(error) if error.error_len().is_none() => Ok(error.valid_up_to()),
            Err(_) => Err(self.not_text()),
        }
    }

    fn not_text(&self) -> ToolError {
        self.opened
            .location
            .refused(
                ErrorCode::Binary,
                format!("is not UTF-8 text{}", self.opened.advice()),
            )
            .with("bytes", self.bytes())
    }

    fn interrupted(&self, interruption: Interruption) -> ToolError {
        let (code, advice) = match interruption {
            Interruption::Cancelled => (ErrorCode::Cancelled, ""),
            Interruption::TimeUp => (
                ErrorCode::ReadLimit,
                "; use a smaller offset, or Grep to find the place",
            ),
        };
        let message = format!(
            "{} after {} bytes of {}, before the lines asked for{advice}",
            interruption.reason(),
            self.read,
            self.opened.location
        );
        self.opened.location.error(code, message)
    }
}
