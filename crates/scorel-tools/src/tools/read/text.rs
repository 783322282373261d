//! UTF-8 text files, read in pieces.

use std::fs::File;
use std::io::Read as _;

use sha2::{Digest as _, Sha256};

use crate::content_hash::ContentHash;
use crate::error::{ErrorCode, ToolError};
use crate::limits::MAX_FILE_BYTES;
use crate::pace::{Interruption, Pace};
use crate::roots::Location;

use super::header::FileHeader;

const BUFFER_BYTES: usize = 64 * 1024;
/// The longest incomplete character at the end of a piece, in bytes.
const MAX_CARRY: usize = 3;

/// An open text file, read in bounded memory.
#[derive(Debug)]
pub(super) struct TextFile<'a> {
    file: File,
    header: &'a FileHeader,
    location: &'a Location,
    pace: &'a Pace,
    buffer: Vec<u8>,
    /// Bytes at the start of the buffer that were returned already.
    given: usize,
    /// Filled bytes of the buffer.
    filled: usize,
    read: u64,
    complete: bool,
    hash: Sha256,
}

impl<'a> TextFile<'a> {
    /// A file at offset 0, with its header.
    pub(super) fn new(
        file: File,
        header: &'a FileHeader,
        location: &'a Location,
        pace: &'a Pace,
    ) -> Self {
        Self {
            file,
            header,
            location,
            pace,
            buffer: vec![0; BUFFER_BYTES],
            given: 0,
            filled: 0,
            read: 0,
            complete: false,
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
                self.complete = true;
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

    /// Returns whether the end of the file was reached.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The size: bytes read if the end was reached, else from the metadata.
    pub(super) fn bytes(&self) -> u64 {
        if self.complete {
            self.read
        } else {
            self.header.file_size.max(self.read)
        }
    }

    /// The hash of the file, if all of it was read and it is not large.
    pub(super) fn hash(&self) -> Option<ContentHash> {
        let hashed = self.complete && !self.is_large();
        hashed.then(|| ContentHash::finish(self.hash.clone()))
    }

    fn fill(&mut self, carry: usize) -> Result<usize, ToolError> {
        let count = loop {
            match self.file.read(&mut self.buffer[carry..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other.map_err(|error| failed(self.location, &error))?,
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
            Err(error) if error.error_len().is_none() => {
                debug_assert!(piece.len() - error.valid_up_to() <= MAX_CARRY);
                Ok(error.valid_up_to())
            }
            Err(_) => Err(self.not_text()),
        }
    }

    fn not_text(&self) -> ToolError {
        let location = self.location;
        location
            .error(
                ErrorCode::Binary,
                format!("{location} is not UTF-8 text{}", self.header.advice()),
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
            self.location
        );
        ToolError::new(code, message).with("path", self.location.named())
    }
}

/// An I/O error.
pub(super) fn failed(location: &Location, error: &std::io::Error) -> ToolError {
    location.error(
        ErrorCode::Internal,
        format!("{location} cannot be read: {error}"),
    )
}
