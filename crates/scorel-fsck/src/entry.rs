//! Directory entries, examined with `lstat` and never opened: opening a FIFO or a device could block
//! or have side effects.

use std::fs::{self, FileType, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use nix::unistd::geteuid;
use scorel_journal::if_present;

use crate::finding::{Finding, Repair};

/// The entry at `path`, if there is one. Symbolic links are not followed.
pub(crate) fn look(path: &Path) -> io::Result<Option<Metadata>> {
    if_present(fs::symlink_metadata(path))
}

/// Checks type, owner and mode of a regular file. Returns whether there is one to read.
pub(crate) fn check_file(path: &Path, found: &mut Vec<Finding>) -> bool {
    let wanted = ("not_regular", "a regular file");
    check(path, Metadata::is_file, 0o600, wanted, found)
}

/// Checks type, owner and mode of a directory. Returns whether there is one to read.
pub(crate) fn check_directory(path: &Path, found: &mut Vec<Finding>) -> bool {
    let wanted = ("not_directory", "a directory");
    check(path, Metadata::is_dir, 0o700, wanted, found)
}

/// `code` is that of an entry which is not the `wanted` one.
fn check(
    path: &Path,
    is_wanted: fn(&Metadata) -> bool,
    mode: u32,
    (code, wanted): (&'static str, &str),
    found: &mut Vec<Finding>,
) -> bool {
    match look(path) {
        Ok(Some(metadata)) if is_wanted(&metadata) => {
            check_mode(path, &metadata, mode, found);
            return true;
        }
        Ok(Some(metadata)) => {
            let kind = kind(metadata.file_type());
            let meaning = format!("{kind} where {wanted} is expected; not opened");
            found.push(Finding::damage(code, path, meaning));
        }
        Ok(None) => {}
        Err(error) => found.push(unreadable(path, &error)),
    }
    false
}

fn kind(kind: FileType) -> &'static str {
    if kind.is_file() {
        "a file"
    } else if kind.is_dir() {
        "a directory"
    } else if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
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
