/// Bytes of a text that `fs_read` shows as a whole, or of a window.
pub(crate) const MAX_SHOWN_BYTES: usize = 32 * 1024;

/// Bytes that it shows of a longer one.
pub(crate) const PREVIEW_BYTES: usize = 4 * 1024;

/// Matches of `fs_search`.
pub(crate) const MAX_MATCHES: usize = 100;

/// Lines around a match.
pub(crate) const MAX_CONTEXT: u8 = 3;

/// Entries of `fs_list`.
pub(crate) const MAX_ENTRIES: usize = 500;

/// Bytes that a call writes.
pub(crate) const MAX_WRITTEN_BYTES: u64 = 1024 * 1024;

/// Operations of one patch.
pub(crate) const MAX_OPERATIONS: usize = 100;
