//! How large things may be.

/// The largest file in bytes that tools know as a whole, by its hash, and can change.
pub(crate) const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;
