//! Opening files of the daemon's own.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file in a session's directory. A link is not followed, and a FIFO in the file's place not
/// waited for.
pub(crate) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let file = options.custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    let text = "not a regular file";
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

/// Opens a file to replace its content, or creates it.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    open(
        options.write(true).create(true).truncate(true).mode(0o600),
        path,
    )
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
        for name in ["link", "dangling", "fifo"] {
            assert!(create(&path(name)).is_err(), "{name}");
            assert!(
                open(File::options().read(true), &path(name)).is_err(),
                "{name}"
            );
            assert!(
                open(File::options().append(true), &path(name)).is_err(),
                "{name}"
            );
        }
        assert_eq!(fs::read_to_string(path("victim")).unwrap(), "theirs");
        assert!(!path("nowhere").exists());
        create(&path("own")).unwrap();
        create(&path("own")).unwrap();
    }
}
