use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use scorel_fs::open_regular;

/// Well above the files that clients read, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Reads a file of the daemon's home. A link is not followed, and a FIFO in the file's place not waited
/// for.
///
/// # Errors
///
/// As for [`open_regular`]; `FileTooLarge` if it is longer than 64 KiB.
pub fn read_home_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_regular(File::options().read(true), path)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let text = format!("it is longer than {MAX_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use nix::sys::stat::Mode;

    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("file"), "text").expect("written");
        symlink("file", path("link")).expect("a link");
        nix::unistd::mkfifo(&path("fifo"), Mode::S_IRWXU).expect("a fifo");
        assert_eq!(read_home_file(&path("file")).expect("read"), b"text");
        for name in ["link", "fifo", "."] {
            assert!(read_home_file(&path(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn a_file_that_is_too_long_is_not_read() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("client.json");
        let file = File::create(&path).expect("made");
        file.set_len(64 * 1024).expect("grown");
        assert_eq!(read_home_file(&path).expect("read").len(), 64 * 1024);
        for len in [64 * 1024 + 1, 1 << 20] {
            file.set_len(len).expect("grown");
            let error = read_home_file(&path).expect_err("too long").to_string();
            assert_eq!(error, "it is longer than 65536 bytes");
        }
    }
}
