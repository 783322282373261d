//! Files of a project, which a command may have made.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use nix::fcntl::OFlag;

/// Git's own small files and its configurations are shorter, in bytes.
const MAX_TEXT: u64 = 1024 * 1024;

/// Opens a regular file for reading, following links. Waits for nothing: opening a FIFO would wait for its
/// writer. `None` if there is no such file, or it is of another type.
pub(crate) fn open_foreign(path: &Path) -> Option<File> {
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let mut options = OpenOptions::new();
    let options = options.read(true).custom_flags(flags.bits());
    let file = options.open(path).ok()?;
    file.metadata().is_ok_and(|it| it.is_file()).then_some(file)
}

/// Reads a text of at most 1 MiB, from a regular file, following links. `None` if there is no such file, or
/// it has something else.
#[must_use]
pub fn read_foreign_text(path: &Path) -> Option<String> {
    let file = open_foreign(path)?;
    if file.metadata().ok()?.len() > MAX_TEXT {
        return None;
    }
    let mut text = String::new();
    file.take(MAX_TEXT).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        mkfifo(&path("fifo"), Mode::S_IRWXU).unwrap();
        std::os::unix::fs::symlink("fifo", path("link")).unwrap();
        fs::write(path("long"), "").unwrap();
        let long = OpenOptions::new().write(true).open(path("long")).unwrap();
        long.set_len(MAX_TEXT + 1).unwrap();
        fs::write(path("text"), "gitdir: x\n").unwrap();
        for name in ["absent", "fifo", "link", "long", ""] {
            assert_eq!(read_foreign_text(&path(name)), None, "{name}");
        }
        let text = read_foreign_text(&path("text"));
        assert_eq!(text.as_deref(), Some("gitdir: x\n"));
    }
}
