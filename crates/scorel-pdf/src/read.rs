//! The parent's side.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::limits::{MAX_DOCUMENT, MAX_TEXT};
use crate::message::Message;

/// What the program is told to do with its standard input.
pub(crate) const ARGUMENT: &str = "--pdf-text";

/// The most that the child writes, in bytes. JSON may need six for one.
const MAX_ANSWER: usize = 8 * MAX_TEXT;

/// How often the caller is asked whether to go on, in milliseconds.
const INTERVAL: u16 = 50;

const CHUNK: usize = 64 * 1024;

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

/// Why a document has no text to show.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    #[error("it is encrypted and needs a password")]
    Encrypted,
    #[error("its {pages} pages have no text, only pictures")]
    NoText { pages: u32 },
    #[error("it is damaged, or is no PDF document")]
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

/// Reads the text of a document in a child process, for as long as `goes_on` says so. Blocks.
///
/// # Errors
/// The document has no text to show, or not within the limits.
pub fn read_pdf(file: File, goes_on: &mut dyn FnMut() -> bool) -> Result<PdfText, PdfError> {
    let bytes = file.metadata()?.len();
    if bytes > MAX_DOCUMENT {
        return Err(PdfError::TooLarge { bytes });
    }
    let mut child = Reader(
        Command::new("/proc/self/exe")
            .arg(ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(file))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?,
    );
    let answer = child.answer(goes_on)?;
    let status = child.0.wait()?;
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
    text.checked(status)
}

impl PdfText {
    fn checked(self, status: ExitStatus) -> Result<Self, PdfError> {
        let has_text = |page: &PdfPage| match page {
            PdfPage::Text(text) => !text.trim().is_empty(),
            PdfPage::Unreadable => false,
        };
        if self.pages.iter().any(has_text) {
            return Ok(self);
        }
        Err(match status.signal() {
            Some(nix::libc::SIGABRT) => PdfError::TooMuchMemory,
            Some(nix::libc::SIGXCPU | nix::libc::SIGKILL) => PdfError::TooMuchTime,
            None if status.success() && !self.pages.contains(&PdfPage::Unreadable) => {
                PdfError::NoText {
                    pages: self.total_pages,
                }
            }
            _ => PdfError::Damaged,
        })
    }
}

/// The child process, which ends with this value.
struct Reader(Child);

impl Reader {
    fn answer(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<Vec<u8>, PdfError> {
        let no_pipe = || io::Error::other("no pipe");
        let mut output = self.0.stdout.take().ok_or_else(no_pipe)?;
        let mut answer = Vec::new();
        while answer.len() < MAX_ANSWER {
            if !goes_on() {
                return Err(PdfError::Stopped);
            }
            if is_ready(&output) && !read_more(&mut output, &mut answer)? {
                break;
            }
        }
        Ok(answer)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // Both fail if it was waited for.
        let _ignored: io::Result<()> = self.0.kill();
        let _ignored: io::Result<ExitStatus> = self.0.wait();
    }
}

fn is_ready(output: &ChildStdout) -> bool {
    let mut fds = [PollFd::new(output.as_fd(), PollFlags::POLLIN)];
    poll(&mut fds, PollTimeout::from(INTERVAL)).is_ok_and(|count| count > 0)
}

/// Returns whether there may be more.
fn read_more(output: &mut ChildStdout, answer: &mut Vec<u8>) -> io::Result<bool> {
    let mut chunk = [0; CHUNK];
    match output.read(&mut chunk) {
        Ok(count) => {
            answer.extend_from_slice(&chunk[..count]);
            Ok(count > 0)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
        Err(error) => Err(error),
    }
}
