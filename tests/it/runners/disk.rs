//! Files that a test reads and writes.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Writes a file that only its owner can read, as the daemon demands of its own.
pub(super) fn write_private(path: &Path, text: &str) {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Writes a file, and makes its directory.
pub(super) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// All files below a directory with their text, named relative to it.
pub(super) fn below(root: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                directories.push(entry.path());
            } else if kind.is_file() {
                let path = entry.path();
                let name = path.strip_prefix(root).unwrap().display().to_string();
                // The daemon may rename a temporary file meanwhile.
                match fs::read(&path) {
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    bytes => {
                        let text = String::from_utf8_lossy(&bytes.unwrap()).into_owned();
                        files.push((name, text));
                    }
                }
            }
        }
    }
    files
}
