//! File access behind two traits, so that tests can make any system call fail.

mod file;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use nix::errno::Errno;

pub use file::FileStorage;
pub use scorel_fs::{if_present, open_regular};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    Read,
    /// Reading anywhere, writing at the end (`O_APPEND`).
    Append,
}

/// The identity of a file, whatever its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    pub dev: u64,
    pub ino: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStatus {
    pub id: FileId,
    /// In bytes.
    pub len: u64,
}

/// A directory tree. After a crash it holds all synced content and names.
///
/// A symbolic link in the last component is never followed. Where a file is expected, anything else than
/// a regular file is an error, and opening it never blocks.
pub trait Storage: fmt::Debug + Send + Sync {
    /// Opens an existing regular file.
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn LogFile>>;

    /// Creates a file with mode 0600 that must not exist (`O_EXCL`), and opens it for appending.
    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn LogFile>>;

    /// The status of the regular file at `path`.
    fn status(&self, path: &Path) -> io::Result<FileStatus>;

    /// Creates a directory with mode 0700; an existing one is left unchanged.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// The names in a directory, unordered, without those that are not UTF-8.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Renames a file, replacing any file with the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a file a second name (a hard link), which must not exist.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    fn remove(&self, path: &Path) -> io::Result<()>;

    /// When the content of a regular file was written or [`Storage::touch`]ed.
    fn modified(&self, path: &Path) -> io::Result<SystemTime>;

    /// Makes a file look as if its content was written now.
    fn touch(&self, path: &Path) -> io::Result<()>;

    /// Syncs a directory: new, renamed and removed names in it become durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// Returns whether this process can open so many more files now. Waits for no disk.
    fn can_open(&self, _count: u64) -> bool {
        true
    }
}

/// An open file. Methods may be called concurrently.
pub trait LogFile: fmt::Debug + Send + Sync {
    /// Reads at `offset` (`pread`). Returns the number of bytes, 0 at the end of the file.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes at the end of the file with one system call. Returns the number of bytes written, which
    /// may be fewer.
    fn append(&self, bytes: &[u8]) -> io::Result<usize>;

    /// `fdatasync`: content and length become durable. Timestamps do not matter.
    fn sync_data(&self) -> io::Result<()>;

    /// The status of the open file, which may have been renamed or removed.
    fn status(&self) -> io::Result<FileStatus>;

    /// Truncates or extends the file.
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

/// Appends all of `bytes`, with as many writes as needed. Not for records: those take one write.
pub(crate) fn append_all(file: &dyn LogFile, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.append(bytes)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => bytes = &bytes[count..],
        }
    }
    Ok(())
}

pub(crate) fn remove_if_present(storage: &dyn Storage, path: &Path) -> io::Result<()> {
    if_present(storage.remove(path)).map(drop)
}

/// Returns whether a file was not opened because the process, or the system, has too many files open.
pub fn is_out_of_descriptors(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw);
    matches!(errno, Some(Errno::EMFILE | Errno::ENFILE))
}

/// Returns whether the file system is mounted read-only, perhaps because the kernel found an error on it.
pub fn is_read_only(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ReadOnlyFilesystem
}

/// Returns whether the disk, the quota or the file size limit is exhausted.
pub fn is_no_space(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull, WriteZero};
    matches!(
        error.kind(),
        StorageFull | QuotaExceeded | FileTooLarge | WriteZero
    )
}
