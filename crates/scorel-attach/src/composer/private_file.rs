use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file that only this user can read, all of it or nothing.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    // `tempfile` makes it with mode 0600.
    let mut file = NamedTempFile::new_in(dir)?;
    io::Write::write_all(&mut file, bytes)?;
    file.persist(path)?;
    Ok(())
}

/// At most the last `limit` bytes of a file; nothing of one that is missing.
pub(super) fn read_end(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    let len = file.metadata()?.len();
    io::Seek::seek(&mut file, io::SeekFrom::Start(len.saturating_sub(limit)))?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}
