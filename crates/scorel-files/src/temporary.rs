//! The names of new files until they are complete.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, fstat, openat, statat, unlinkat};
use rustix::io::Errno;

use crate::project_dir::hash_of;

/// The most replacements of one file that are written at a time.
const NAMES: usize = 8;

/// The names of a file that will replace the one of this name. They repeat, so that one that a crash has
/// left is found. Whatever is being written under one of them is locked.
pub fn temporary_names(name: &OsStr) -> impl Iterator<Item = String> {
    let hash = hash_of(name.as_bytes());
    (0..NAMES).map(move |number| format!(".scorel-{}-{number}.tmp", &hash.as_str()[..16]))
}

/// Removes a temporary file that is not being written.
///
/// # Errors
///
/// It is being written ([`Errno::WOULDBLOCK`]), is not a regular file, or cannot be removed.
pub fn remove_left_over(directory: impl AsFd, name: &str) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match openat(&directory, name, flags, Mode::empty()) {
        Ok(file) => remove_unlocked(directory, name, &file),
        Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error),
    }
}

fn remove_unlocked(directory: impl AsFd, name: &str, file: &OwnedFd) -> Result<(), Errno> {
    flock(file, FlockOperation::NonBlockingLockExclusive)?;
    // Before the lock its writer may have renamed it, and the name be that of another one by now.
    let (locked, named) = (
        fstat(file)?,
        statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW),
    );
    if !named.is_ok_and(|named| (named.st_dev, named.st_ino) == (locked.st_dev, locked.st_ino)) {
        return Err(Errno::WOULDBLOCK);
    }
    unlinkat(&directory, name, AtFlags::empty())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn a_name_that_became_that_of_another_file_stays() {
        let temporary = tempfile::tempdir().unwrap();
        let (name, path) = ("new", temporary.path().join("new"));
        let directory = File::open(temporary.path()).unwrap();
        fs::write(&path, "first").unwrap();
        let opened = OwnedFd::from(File::open(&path).unwrap());
        // Its writer finishes, and the next one begins.
        fs::rename(&path, temporary.path().join("file")).unwrap();
        let gone = remove_unlocked(&directory, name, &opened);
        assert_eq!(gone, Err(Errno::WOULDBLOCK));
        fs::write(&path, "second").unwrap();
        let other = remove_unlocked(&directory, name, &opened);
        assert_eq!(other, Err(Errno::WOULDBLOCK));
        assert_eq!(fs::read(&path).unwrap(), b"second");
        drop(opened);
        assert_eq!(remove_left_over(&directory, name), Ok(()));
        assert!(!path.exists());
    }
}
