//! Temporary files.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;

/// How many random names are tried.
const TRIES: usize = 8;

/// A temporary file in the destination's directory; removed on drop.
#[derive(Debug)]
pub(super) struct Temporary<'a> {
    directory: BorrowedFd<'a>,
    name: String,
    file: File,
    kept: Cell<bool>,
}

impl<'a> Temporary<'a> {
    /// Creates an empty file with permissions `mode` minus the umask.
    pub(super) fn create(directory: BorrowedFd<'a>, mode: Mode) -> Result<Self, Errno> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut result = Err(Errno::EXIST);
        for _ in 0..TRIES {
            let name = format!(".scorel-{:016x}.tmp", rand::random::<u64>());
            result = openat(directory, &name, flags, mode).map(|file| Self {
                directory,
                name,
                file: File::from(file),
                kept: Cell::new(false),
            });
            if !matches!(result, Err(Errno::EXIST)) {
                break;
            }
        }
        result
    }

    pub(super) fn write(&self, content: &[u8]) -> io::Result<()> {
        (&self.file).write_all(content)
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Do not remove the file: it was renamed.
    pub(super) fn keep(&self) {
        self.kept.set(true);
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.kept.get() {
            // The caller reports the error that led here.
            let _ = unlinkat(self.directory, &self.name, AtFlags::empty());
        }
    }
}
