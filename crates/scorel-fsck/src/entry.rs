//! Directory entries, examined with `lstat` and never opened: opening a FIFO or a device could block
//! or have side effects.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use nix::unistd::geteuid;

use crate::finding::{Finding, Repair};

/// The kind of entry that a path names.
#[derive(Debug)]
pub(crate) enum PathKind {
    Nothing,
    File(Metadata),
    Directory(Metadata),
    /// A type of file that does not belong in a home, in words.
    Other(&'static str),
}

/// The kind of entry that `path` names. Symbolic links are not followed.
pub(crate) fn look(path: &Path) -> io::Result<PathKind> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PathKind::Nothing),
        Err(error) => return Err(error),
    };
    let kind = metadata.file_type();
    Ok(if kind.is_file() {
        PathKind::File(metadata)
    } else if kind.is_dir() {
        PathKind::Directory(metadata)
    } else if kind.is_symlink() {
        PathKind::Other("a symbolic link")
    } else if kind.is_fifo() {
        PathKind::Other("a FIFO")
    } else if kind.is_socket() {
        PathKind::Other("a socket")
    } else {
        PathKind::Other("a device")
    })
}

/// Checks type, owner and mode of a regular file. Returns whether there is one to read.
pub(crate) fn check_file(path: &Path, found: &mut Vec<Finding>) -> bool {
    match look(path) {
        Ok(PathKind::Nothing) => false,
        Ok(PathKind::File(metadata)) => {
            check_mode(path, &metadata, 0o600, found);
            true
        }
        Ok(PathKind::Directory(_)) => {
            found.push(not_regular(path, "a directory"));
            false
        }
        Ok(PathKind::Other(what)) => {
            found.push(not_regular(path, what));
            false
        }
        Err(error) => {
            found.push(unreadable(path, &error));
            false
        }
    }
}

/// Checks type, owner and mode of a directory. Returns whether there is one to read.
pub(crate) fn check_directory(path: &Path, found: &mut Vec<Finding>) -> bool {
    let what = match look(path) {
        Ok(PathKind::Nothing) => return false,
        Ok(PathKind::Directory(metadata)) => {
            check_mode(path, &metadata, 0o700, found);
            return true;
        }
        Ok(PathKind::File(_)) => "a file",
        Ok(PathKind::Other(what)) => what,
        Err(error) => {
            found.push(unreadable(path, &error));
            return false;
        }
    };
    let meaning = format!("{what} where a directory is expected; not opened");
    found.push(Finding::damage("not_directory", path, meaning));
    false
}

fn not_regular(path: &Path, what: &str) -> Finding {
    let meaning = format!("{what} where a regular file is expected; not opened");
    Finding::damage("not_regular", path, meaning)
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Finding {
    Finding::damage("unreadable", path, format!("cannot be read: {error}"))
}

fn check_mode(path: &Path, metadata: &Metadata, wanted: u32, found: &mut Vec<Finding>) {
    let uid = metadata.uid();
    if uid != geteuid().as_raw() {
        let meaning = format!("owned by user {uid}, not by you");
        found.push(Finding::damage("foreign_owner", path, meaning));
        return;
    }
    let mode = metadata.mode() & 0o777;
    let meaning = if mode & 0o077 != 0 {
        format!("mode {mode:04o} gives other users access")
    } else if mode & wanted != wanted {
        format!("mode {mode:04o} denies the daemon access")
    } else {
        return;
    };
    let repair = Repair::SetMode(wanted);
    found.push(Finding::repairable("mode", path, meaning, repair));
}

/// The names in a directory, sorted. Names that are not UTF-8 are left out: no file of ours has one.
pub(crate) fn names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}
