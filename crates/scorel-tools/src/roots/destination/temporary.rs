//! Temporary files.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, fstat, openat, unlinkat};
use rustix::io::Errno;
use scorel_files::{remove_left_over, temporary_names};

/// A temporary file in the destination's directory; removed on drop.
#[derive(Debug)]
pub(super) struct Temporary<'a> {
    directory: BorrowedFd<'a>,
    pub(super) name: String,
    pub(super) file: File,
    /// Set when the file was renamed, and is not to be removed.
    pub(super) is_kept: bool,
}

impl<'a> Temporary<'a> {
    /// Creates an empty file that is to replace the one of this name, with permissions `mode` minus the
    /// umask.
    pub(super) fn create(
        directory: BorrowedFd<'a>,
        replaced: &OsStr,
        mode: Mode,
    ) -> Result<Self, Errno> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut result = Err(Errno::EXIST);
        for name in temporary_names(replaced) {
            // One that is being written stays, and is in the way.
            let _ = remove_left_over(directory, &name);
            result = match openat(directory, &name, flags, mode) {
                // It was taken for one that is left over before it was locked.
                Ok(file) if !is_locked(&file)? => Err(Errno::EXIST),
                Ok(file) => Ok(Self {
                    directory,
                    name,
                    file: File::from(file),
                    is_kept: false,
                }),
                Err(error) => Err(error),
            };
            if !matches!(result, Err(Errno::EXIST)) {
                break;
            }
        }
        result
    }
}

/// Locks a new file, where the file system has locks. Returns whether it is there still.
fn is_locked(file: &OwnedFd) -> Result<bool, Errno> {
    let locked = flock(file, FlockOperation::NonBlockingLockExclusive);
    Ok(locked != Err(Errno::WOULDBLOCK) && fstat(file)?.st_nlink > 0)
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // The caller reports the error that led here.
            let _ = unlinkat(self.directory, &self.name, AtFlags::empty());
        }
    }
}
