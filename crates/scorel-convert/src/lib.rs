//! PDF documents and web pages as text.
//!
//! Both come from anywhere, and the libraries that read them panic, recurse, and take the time and
//! memory that a document tells them to. So a child process does it: this program, executed again, with
//! limits on memory and processor time. It reads the document from its standard input and writes the
//! text to its standard output; whatever it dies of is an error of that one document. Its end is the
//! only way to end the work: no thread can be stopped in the middle of a library.
//!
//! [`read_pdf`] and [`html_to_text`] start the child. `main` calls [`run_if_asked`] before anything
//! else.

mod child;
mod conversion;
mod converter;
mod html;
mod limits;
mod pdf;

use std::process::ExitCode;

pub use html::{HtmlError, html_to_text};
pub use pdf::{PdfError, PdfPage, PdfText, read_pdf};

/// Converts the document on standard input, and returns the exit code, if the program was started for
/// that; `None` if it was started by a user.
pub fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let (first, None) = (arguments.next()?, arguments.next()) else {
        return None;
    };
    conversion::Conversion::of_argument(&first).map(child::run)
}
