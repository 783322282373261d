use std::ffi::OsStr;

use crate::limits::{MAX_DOCUMENT, MAX_HTML_MEMORY, MAX_PAGE, MAX_PDF_MEMORY};

/// The kind of document that a child process converts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conversion {
    Pdf,
    Html,
}

impl Conversion {
    /// The argument that tells the program what its standard input is.
    pub(crate) const fn argument(self) -> &'static str {
        match self {
            Self::Pdf => "--pdf-text",
            Self::Html => "--html-text",
        }
    }

    pub(crate) fn of_argument(argument: &OsStr) -> Option<Self> {
        [Self::Pdf, Self::Html]
            .into_iter()
            .find(|known| argument == known.argument())
    }

    /// The bytes of the largest input.
    pub(crate) const fn max_input(self) -> u64 {
        match self {
            Self::Pdf => MAX_DOCUMENT,
            Self::Html => MAX_PAGE as u64,
        }
    }

    /// The bytes of the child's address space.
    pub(crate) const fn max_memory(self) -> u64 {
        match self {
            Self::Pdf => MAX_PDF_MEMORY,
            Self::Html => MAX_HTML_MEMORY,
        }
    }
}
