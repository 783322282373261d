//! Size limits of files and pictures.

/// In bytes. In base64 it is no more than the 5 MB that providers accept.
pub(crate) const MAX_PICTURE_BYTES: u64 = 3_750_000;

/// In pixels on each side.
pub(crate) const MAX_PICTURE_SIDE: usize = 8_000;

/// The largest file, in bytes, that is hashed as a whole and so can be changed.
pub(crate) const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
