//! Files that hold one JSON text.

use std::io;
use std::path::Path;

use scorel_journal::{Storage, read_bounded, replace_file};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a file of at most `max_bytes`. One that is not what it should be is `InvalidData`.
pub(crate) fn read_json<T: DeserializeOwned>(
    storage: &dyn Storage,
    path: &Path,
    max_bytes: u64,
) -> io::Result<T> {
    Ok(serde_json::from_slice(&read_bounded(
        storage, path, max_bytes,
    )?)?)
}

/// Replaces a file as a whole, durably.
pub(crate) fn replace_json(
    storage: &dyn Storage,
    path: &Path,
    content: &impl Serialize,
) -> io::Result<()> {
    replace_file(storage, path, &serde_json::to_vec(content)?)
}
