//! PDF documents as text.
//!
//! Documents come from anywhere, and the libraries that read them panic, recurse and allocate as a
//! document tells them to. So a child process does it: this program, executed again, with limits on
//! memory and processor time. It reads the document from its standard input and writes one
//! `Message` a line; whatever it dies of is an error of that one document.
//!
//! [`read_pdf`] starts the child. `main` calls [`run_if_asked`] before anything else.

mod child;
mod extract;
mod limits;
mod message;
mod read;

use std::process::ExitCode;

pub use read::{PdfError, PdfPage, PdfText, read_pdf};

/// Reads a document from standard input, and returns the exit code, if the program was started for
/// that; `None` if it was started by a user.
#[must_use]
pub fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let (first, None) = (arguments.next()?, arguments.next()) else {
        return None;
    };
    (first == read::ARGUMENT).then(child::run)
}
