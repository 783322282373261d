//! PDF documents.

mod extract;
mod message;

use std::fs::File;
use std::io::{self, Write as _};
use std::process::{ExitCode, Stdio};

use crate::conversion::Conversion;
use crate::converter::{ChildEnd, Converter, ConverterError};
use crate::limits::{MAX_DOCUMENT, MAX_TEXT};
use message::Message;

/// The most that the child writes, in bytes. JSON may need six for one.
const MAX_ANSWER: usize = 8 * MAX_TEXT;

/// The text of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfText {
    /// From the first one on; not all of them if `is_whole` is false.
    pub pages: Vec<PdfPage>,
    /// Pages of the document.
    pub total_pages: u32,
    pub is_whole: bool,
}

/// The text of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PdfPage {
    Text(String),
    /// It cannot be read.
    Unreadable,
}

/// The reason why a document has no text to show.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    #[error("it is encrypted and needs a password")]
    Encrypted,
    #[error("its {pages} pages have no text, only pictures")]
    NoText { pages: u32 },
    #[error("it is damaged, or is not a PDF document")]
    Damaged,
    #[error("it has {bytes} bytes; at most {MAX_DOCUMENT} are read")]
    TooLarge { bytes: u64 },
    #[error("reading it takes too much memory")]
    TooMuchMemory,
    #[error("reading it takes too much time")]
    TooMuchTime,
    #[error("it was not read to its end")]
    Stopped,
    #[error("the process that reads it cannot be run: {0}")]
    Process(#[from] io::Error),
}

impl From<ConverterError> for PdfError {
    fn from(error: ConverterError) -> Self {
        match error {
            ConverterError::Stopped => Self::Stopped,
            ConverterError::Process(error) => Self::Process(error),
        }
    }
}

/// Reads the text of a document in a child process, for as long as `goes_on` says so. Blocks.
///
/// # Errors
/// The document has no text to show, or not within the limits.
pub fn read_pdf(file: File, goes_on: &mut dyn FnMut() -> bool) -> Result<PdfText, PdfError> {
    let bytes = file.metadata()?.len();
    if bytes > MAX_DOCUMENT {
        return Err(PdfError::TooLarge { bytes });
    }
    let converter = Converter::start(Conversion::Pdf, Stdio::from(file), goes_on)?;
    let (answer, end) = converter.answer(MAX_ANSWER)?;
    let mut text = PdfText {
        pages: Vec::new(),
        total_pages: 0,
        is_whole: false,
    };
    for line in answer.split(|byte| *byte == b'\n') {
        // The last line of a child that was killed is not whole.
        match serde_json::from_slice(line) {
            Ok(Message::Opened(pages)) => text.total_pages = pages,
            Ok(Message::Page(Some(page))) => text.pages.push(PdfPage::Text(page)),
            Ok(Message::Page(None)) => text.pages.push(PdfPage::Unreadable),
            Ok(Message::End) => text.is_whole = text.pages.len() == text.total_pages as usize,
            Ok(Message::Encrypted) => return Err(PdfError::Encrypted),
            Ok(Message::Damaged) => return Err(PdfError::Damaged),
            Err(_) => {}
        }
    }
    text.checked(end)
}

/// In the child process: writes one [`Message`] a line.
pub(crate) fn convert(input: &[u8], mut answer: File) -> io::Result<ExitCode> {
    extract::extract(input, &mut |message| {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        answer.write_all(&line)
    })?;
    Ok(ExitCode::SUCCESS)
}

impl PdfText {
    fn checked(self, end: ChildEnd) -> Result<Self, PdfError> {
        let has_text = |page: &PdfPage| match page {
            PdfPage::Text(text) => !text.trim().is_empty(),
            PdfPage::Unreadable => false,
        };
        if self.pages.iter().any(has_text) {
            return Ok(self);
        }
        Err(match end {
            ChildEnd::TooMuchMemory => PdfError::TooMuchMemory,
            ChildEnd::TooMuchTime => PdfError::TooMuchTime,
            ChildEnd::Success if !self.pages.contains(&PdfPage::Unreadable) => PdfError::NoText {
                pages: self.total_pages,
            },
            ChildEnd::Success | ChildEnd::Failure => PdfError::Damaged,
        })
    }
}
