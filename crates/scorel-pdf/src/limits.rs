//! How much of a document is read, and with what.

use std::time::Duration;

/// The largest document, in bytes.
pub(crate) const MAX_DOCUMENT: u64 = 64 * 1024 * 1024;

/// Pages that are read of a document.
pub(crate) const MAX_PAGES: u32 = 1_000;

/// The text of one page, in bytes.
pub(crate) const MAX_PAGE_TEXT: usize = 256 * 1024;

/// The text of a document, in bytes.
pub(crate) const MAX_TEXT: usize = 4 * 1024 * 1024;

/// The address space of the child process, in bytes.
pub(crate) const MAX_MEMORY: u64 = 1024 * 1024 * 1024;

/// The processor time of the child process.
pub(crate) const MAX_TIME: Duration = Duration::from_secs(10);
