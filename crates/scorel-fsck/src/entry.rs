//! What has a name in a directory, looked at without opening it.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

use nix::unistd::geteuid;

use crate::daemon::Daemon;
use crate::finding::{Finding, Repair};

/// A temporary file that changed within this time belongs to a daemon that is writing it.
const YOUNG: Duration = Duration::from_secs(60);

/// What has a name.
#[derive(Debug)]
pub(crate) enum Entry {
    Nothing,
    File(Metadata),
    Directory(Metadata),
    /// A kind of thing that the home does not hold.
    Other(&'static str),
}

/// Looks at what has a name. A symbolic link is not followed.
pub(crate) fn look(path: &Path) -> io::Result<Entry> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Entry::Nothing),
        Err(error) => return Err(error),
    };
    let kind = metadata.file_type();
    Ok(if kind.is_file() {
        Entry::File(metadata)
    } else if kind.is_dir() {
        Entry::Directory(metadata)
    } else if kind.is_symlink() {
        Entry::Other("a symbolic link")
    } else if kind.is_fifo() {
        Entry::Other("a FIFO")
    } else if kind.is_socket() {
        Entry::Other("a socket")
    } else {
        Entry::Other("a device")
    })
}

/// Checks that the path names a regular file for its owner alone. Says whether there is one.
pub(crate) fn check_file(path: &Path, found: &mut Vec<Finding>) -> bool {
    match look(path) {
        Ok(Entry::Nothing) => false,
        Ok(Entry::File(metadata)) => {
            check_mode(path, &metadata, 0o600, found);
            true
        }
        Ok(Entry::Directory(_)) => {
            found.push(not_regular(path, "a directory"));
            false
        }
        Ok(Entry::Other(what)) => {
            found.push(not_regular(path, what));
            false
        }
        Err(error) => {
            found.push(unreadable(path, &error));
            false
        }
    }
}

/// Checks that the path names a directory for its owner alone. Says whether there is one.
pub(crate) fn check_directory(path: &Path, found: &mut Vec<Finding>) -> bool {
    let what = match look(path) {
        Ok(Entry::Nothing) => return false,
        Ok(Entry::Directory(metadata)) => {
            check_mode(path, &metadata, 0o700, found);
            return true;
        }
        Ok(Entry::File(_)) => "a file",
        Ok(Entry::Other(what)) => what,
        Err(error) => {
            found.push(unreadable(path, &error));
            return false;
        }
    };
    let meaning = format!("this is {what} instead of a directory; it is not opened");
    found.push(Finding::damage("not_directory", path, meaning));
    false
}

fn not_regular(path: &Path, what: &str) -> Finding {
    let meaning = format!("this is {what} instead of a regular file; it is not opened");
    Finding::damage("not_regular", path, meaning)
}

/// Something could not be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Finding {
    Finding::damage("unreadable", path, format!("this cannot be read: {error}"))
}

fn check_mode(path: &Path, metadata: &Metadata, wanted: u32, found: &mut Vec<Finding>) {
    let uid = metadata.uid();
    if uid != geteuid().as_raw() {
        let meaning = format!("this belongs to user {uid}, not to you");
        found.push(Finding::damage("foreign_owner", path, meaning));
        return;
    }
    let mode = metadata.mode() & 0o777;
    let meaning = if mode & 0o077 != 0 {
        format!("the mode is {mode:04o}: other users are given rights")
    } else if mode & wanted != wanted {
        format!("the mode is {mode:04o}: the daemon lacks rights")
    } else {
        return;
    };
    let repair = Repair::SetMode(wanted);
    found.push(Finding::repairable("mode", path, meaning, repair));
}

/// The names in a directory, sorted. Names that are no text are left out.
pub(crate) fn names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether a file of this name is there only while another one is being written.
pub(crate) fn is_temporary(name: &str) -> bool {
    let replaced = name.starts_with('.') && name.ends_with(".tmp");
    let log = name.strip_prefix(scorel_journal::EVENTS);
    replaced || log.is_some_and(|end| [".new", ".tail", ".copy", ".repaired"].contains(&end))
}

/// Reports a temporary file that nobody is writing.
pub(crate) fn check_temporary(path: &Path, daemon: &Daemon, found: &mut Vec<Finding>) {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return;
    };
    let age = metadata.modified().ok().and_then(|at| at.elapsed().ok());
    if !metadata.is_file() || (daemon.is_running() && age.is_none_or(|age| age < YOUNG)) {
        return;
    }
    let meaning = "a temporary file of a write that was interrupted; nothing refers to it";
    let finding = Finding::repairable("temporary", path, meaning, Repair::Remove);
    found.push(finding.at(0, metadata.len()));
}
