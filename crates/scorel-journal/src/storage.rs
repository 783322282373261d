//! Every access to the file system, behind two traits, so that tests can make any of them fail.

mod file;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

pub use file::FileStorage;

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// For reading only.
    Read,
    /// For reading anywhere and writing at the end.
    Append,
}

/// Which file a path names, independent of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The device.
    pub dev: u64,
    /// The inode on that device.
    pub ino: u64,
}

/// What a file is at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStatus {
    /// Which file it is.
    pub id: FileId,
    /// Its length in bytes.
    pub len: u64,
}

/// A directory tree that survives a crash as far as it was synced.
///
/// Paths are used as given; symbolic links in the last component are never followed. Anything that
/// is not a regular file counts as an error where a file is asked for, and is never waited for.
pub trait Storage: fmt::Debug + Send + Sync {
    /// Opens an existing regular file.
    fn open(&self, path: &Path, access: Access) -> io::Result<Arc<dyn LogFile>>;

    /// Creates a file that must not exist, readable by its owner only, and opens it for appending.
    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn LogFile>>;

    /// The status of the regular file that `path` names now.
    fn status(&self, path: &Path) -> io::Result<FileStatus>;

    /// Creates a directory that only its owner can enter; an existing directory is left as it is.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// The names in a directory, in no order; names that are not UTF-8 are left out.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Gives a file a new name, replacing what had that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// An open file. All methods may be called from several threads.
pub trait LogFile: fmt::Debug + Send + Sync {
    /// Reads at `offset` without a cursor. Returns the number of bytes, 0 at the end of the file.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes at the end of the file with one system call. Returns the number of bytes written,
    /// which may be fewer than asked for.
    fn append(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Makes content and length durable.
    fn sync_data(&self) -> io::Result<()>;

    /// The status of the open file, whatever its path names now.
    fn status(&self) -> io::Result<FileStatus>;

    /// Sets the length in bytes.
    fn set_len(&self, len: u64) -> io::Result<()>;
}

/// Fills `buf` from `offset`, or fails with `UnexpectedEof`.
pub(crate) fn read_exact_at(file: &dyn LogFile, buf: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < buf.len() {
        match file.read_at(&mut buf[done..], offset + done as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => done += count,
        }
    }
    Ok(())
}

/// Appends all of `bytes`, with as many writes as it takes.
pub(crate) fn append_all(file: &dyn LogFile, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.append(bytes)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => bytes = &bytes[count..],
        }
    }
    Ok(())
}

/// Removes a file that may be absent.
pub(crate) fn remove_if_present(storage: &dyn Storage, path: &Path) -> io::Result<()> {
    match storage.remove(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Whether an error says that the disk, the quota or the file size limit is exhausted.
pub(crate) fn is_no_space(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull, WriteZero};
    matches!(
        error.kind(),
        StorageFull | QuotaExceeded | FileTooLarge | WriteZero
    )
}
