//! Open files, and their types by the first bytes.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::error::{ErrorCode, ToolError};
use crate::picture::media_type;
use crate::roots::Location;
use scorel_fs::TextEncoding;

const START_BYTES: usize = 512;

/// Signatures of binary formats, with advice for the model.
const KINDS: [(&[u8], &str); 11] = [
    (b"\xff\xfe\0\0", "UTF-32 text; convert it to UTF-8 first"),
    (
        b"PK\x03\x04",
        "a ZIP archive or an office document; unpack or convert it first",
    ),
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ\0", "compressed with xz; unpack it first"),
    (
        b"\x28\xb5\x2f\xfd",
        "compressed with Zstandard; unpack it first",
    ),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive; unpack it first"),
    (b"\x7fELF", "a program or library"),
    (b"\0asm", "a WebAssembly module"),
    (b"MZ", "a Windows program or library"),
    (
        b"SQLite format 3\0",
        "an SQLite database; ask it with its own program",
    ),
];

/// An open file, with its first bytes and its size.
#[derive(Debug)]
pub(super) struct OpenedFile<'a> {
    pub(super) location: &'a Location,
    pub(super) file: File,
    pub(super) size: u64,
    start: Vec<u8>,
}

impl<'a> OpenedFile<'a> {
    /// Looks at a file that is at its beginning, and stays there.
    pub(super) fn new(location: &'a Location, file: File) -> Result<Self, ToolError> {
        let mut start = vec![0; START_BYTES];
        let mut look =
            || -> io::Result<_> { Ok((file.metadata()?.len(), file.read_at(&mut start, 0)?)) };
        let (size, count) = look().map_err(|error| failed(location, &error))?;
        start.truncate(count);
        Ok(Self {
            location,
            file,
            size,
            start,
        })
    }

    pub(super) fn failed(&self, error: &io::Error) -> ToolError {
        failed(self.location, error)
    }

    /// The media type, if the file is a picture that models accept.
    pub(super) fn picture(&self) -> Option<&'static str> {
        if self.is_text() {
            return None;
        }
        media_type(&self.start)
    }

    /// Returns whether the file is a PDF document.
    pub(super) fn is_pdf(&self) -> bool {
        self.start.starts_with(b"%PDF-")
    }

    /// Returns whether the file has a byte order mark of UTF-16.
    pub(super) fn is_utf16(&self) -> bool {
        TextEncoding::by_mark(&self.start).is_some()
    }

    /// Advice about a binary file, as the end of a sentence.
    pub(super) fn advice(&self) -> String {
        let kind = KINDS
            .iter()
            .find(|(begin, _)| self.start.starts_with(begin));
        match kind {
            Some((_, kind)) => format!(": it seems to be {kind}"),
            None if self.start.contains(&0) => {
                "; Read shows text, PDF documents and pictures (PNG, JPEG, GIF, WebP) only"
                    .to_owned()
            }
            None => {
                "; if it is text in another encoding (GBK, Shift_JIS, KOI8-R, …), convert it to \
                     UTF-8 first, as with iconv"
                    .to_owned()
            }
        }
    }

    /// Returns whether the first bytes look like text.
    fn is_text(&self) -> bool {
        let valid = match std::str::from_utf8(&self.start) {
            Ok(_) => true,
            Err(error) => error.error_len().is_none(),
        };
        valid && !self.start.contains(&0)
    }
}

fn failed(location: &Location, error: &io::Error) -> ToolError {
    location.refused(ErrorCode::Internal, format!("cannot be read: {error}"))
}
