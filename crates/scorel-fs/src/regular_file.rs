//! Opening regular files, and nothing else.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Opens a regular file. A link in its place is not followed, and a FIFO not waited for.
///
/// # Errors
///
/// `InvalidInput` if something else than a regular file is at the path, or any other I/O error.
pub fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    open(options, path, libc::O_NOFOLLOW)
}

/// As [`open_regular`], wherever links lead.
///
/// # Errors
///
/// As for [`open_regular`].
pub fn open_linked(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    open(options, path, 0)
}

/// Opens a regular file to replace its content, or creates it for this user alone.
///
/// # Errors
///
/// As for [`open_regular`].
pub fn create_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    open_regular(
        options.write(true).create(true).truncate(true).mode(0o600),
        path,
    )
}

fn open(options: &mut OpenOptions, path: &Path, flags: libc::c_int) -> io::Result<File> {
    let not_regular = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    // Opening a FIFO waits for its other end otherwise, and a terminal becomes the process's own.
    let options = options.custom_flags(flags | libc::O_NONBLOCK | libc::O_NOCTTY);
    let file = options
        .open(path)
        .map_err(|error| match error.raw_os_error() {
            // For a link, and for a socket or a FIFO without a reader.
            Some(libc::ELOOP | libc::ENXIO) => not_regular(),
            _ => error,
        })?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(not_regular())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("victim"), "theirs").unwrap();
        symlink("victim", path("link")).unwrap();
        symlink("nowhere", path("dangling")).unwrap();
        let made = Command::new("mkfifo").arg(path("fifo")).status();
        assert!(made.unwrap().success());
        let create = |name: &str| create_regular(&path(name));
        for name in ["link", "dangling", "fifo"] {
            let error = create(name).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{name}");
            for options in [File::options().read(true), File::options().append(true)] {
                assert!(open_regular(options, &path(name)).is_err(), "{name}");
            }
        }
        assert_eq!(fs::read_to_string(path("victim")).unwrap(), "theirs");
        assert!(!path("nowhere").exists());
        create("own").unwrap();
        create("own").unwrap();
        let read = |name: &str| open_linked(File::options().read(true), &path(name));
        assert!(read("link").is_ok() && read("own").is_ok());
        for name in ["dangling", "fifo", "."] {
            assert!(read(name).is_err(), "{name}");
        }
    }
}
