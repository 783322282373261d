//! How large things may be.

/// The largest picture in bytes that is shown: in base64 no more than the 5 MB that providers take.
pub(crate) const MAX_PICTURE_BYTES: u64 = 3_750_000;

/// The most pixels on one side of a picture that is shown.
pub(crate) const MAX_PICTURE_SIDE: usize = 8_000;

/// The largest file in bytes that tools know as a whole, by its hash, and can change.
pub(crate) const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;
