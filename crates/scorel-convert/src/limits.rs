//! Limits on the part of a document that is read, and on the process that reads it.

use std::time::Duration;

/// The largest PDF document, in bytes.
pub(crate) const MAX_DOCUMENT: u64 = 64 * 1024 * 1024;

/// Pages that are read of a PDF document.
pub(crate) const MAX_PAGES: u32 = 1_000;

/// The text of one page of a PDF document, in bytes.
pub(crate) const MAX_PAGE_TEXT: usize = 256 * 1024;

/// The text of a PDF document, in bytes.
pub(crate) const MAX_TEXT: usize = 4 * 1024 * 1024;

/// The address space of a process that reads a PDF document, in bytes.
pub(crate) const MAX_PDF_MEMORY: u64 = 1024 * 1024 * 1024;

/// The largest web page with its address, in bytes: 5 MiB as they came, decoded to UTF-8.
pub(crate) const MAX_PAGE: usize = 20 * 1024 * 1024;

/// The text of a web page, in bytes. Padded tables and quotes are longer than their HTML.
pub(crate) const MAX_HTML_TEXT: usize = 16 * 1024 * 1024;

/// The address space of a process that converts a web page, in bytes.
pub(crate) const MAX_HTML_MEMORY: u64 = 768 * 1024 * 1024;

/// The processor time of a conversion.
pub(crate) const MAX_TIME: Duration = Duration::from_secs(10);
