//! Texts of a project, which a command may have written.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::regular_file::open_linked;

/// Git's own small files and its configurations are shorter, in bytes.
const MAX_TEXT: u64 = 1024 * 1024;

/// Reads a text of at most 1 MiB, from a regular file, following links. `None` if there is no such file, or
/// it has something else.
pub fn read_foreign_text(path: &Path) -> Option<String> {
    let file = open_linked(File::options().read(true), path).ok()?;
    if file.metadata().ok()?.len() > MAX_TEXT {
        return None;
    }
    let mut text = String::new();
    file.take(MAX_TEXT).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::process::Command;

    use super::*;

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let made = Command::new("mkfifo").arg(path("fifo")).status();
        assert!(made.unwrap().success());
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
