use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::sys::statvfs::{FsFlags, statvfs};

/// Longest path of a socket in bytes: Linux's `sun_path` has 108, one of them the final zero.
pub const MAX_SOCKET_PATH: usize = 107;

/// The reason why there is no place for the socket.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSocketPath {
    #[error(
        "the socket path {path} is longer than {MAX_SOCKET_PATH} bytes; set XDG_RUNTIME_DIR to a short path or choose a shorter home with --home"
    )]
    TooLong { path: PathBuf },
    #[error(
        "{path} cannot be made, since the home is on a read-only file system; set XDG_RUNTIME_DIR to a short path for the socket"
    )]
    ReadOnly { path: PathBuf },
}

/// Where the daemon of the home at `root` listens: `scoreld.sock` in the home, or, if that path is too
/// long or the home is on a read-only file system, `scorel-<hash>.sock` in the runtime directory. The
/// hash is the 64-bit FNV-1a of the home's path in 16 hexadecimal digits.
///
/// A daemon keeps its socket where it is when the file system becomes read-only or writable under it.
///
/// # Errors
/// No usual path can be used, and there is no runtime directory or none with a short path.
pub fn socket_path(root: &Path, runtime_dir: Option<&Path>) -> Result<PathBuf, NoSocketPath> {
    let path = root.join("scoreld.sock");
    let hash = fnv1a(root.as_os_str().as_bytes());
    let short = runtime_dir.map(|dir| dir.join(format!("scorel-{hash:016x}.sock")));
    let short = short.filter(|path| fits(path));
    if !fits(&path) {
        return short.ok_or(NoSocketPath::TooLong { path });
    }
    // Without a listener the usual path is right, unless no socket can be bound there.
    let is_elsewhere = if is_read_only(root) {
        !listens(&path)
    } else {
        short.as_deref().is_some_and(listens) && !listens(&path)
    };
    if is_elsewhere {
        short.ok_or(NoSocketPath::ReadOnly { path })
    } else {
        Ok(path)
    }
}

/// Returns whether a process listens on the socket at a path.
fn listens(path: &Path) -> bool {
    UnixStream::connect(path).is_ok()
}

/// Returns whether nothing can be written in a directory because of how its file system is mounted. One that
/// cannot be looked at is not.
pub fn is_read_only(dir: &Path) -> bool {
    statvfs(dir).is_ok_and(|status| status.flags().contains(FsFlags::ST_RDONLY))
}

fn fits(path: &Path) -> bool {
    path.as_os_str().len() <= MAX_SOCKET_PATH
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_path_of_up_to_107_bytes_stays_in_the_home() {
        let runtime = Path::new("/run/user/1000");
        for len in 90..=130 {
            let root = PathBuf::from(format!("/{}", "h".repeat(len - "//scoreld.sock".len())));
            let path = socket_path(&root, Some(runtime)).unwrap();
            assert!(path.as_os_str().len() <= MAX_SOCKET_PATH);
            assert_eq!(path.starts_with(&root), len <= MAX_SOCKET_PATH, "{len}");
            assert_eq!(path.starts_with(runtime), len > MAX_SOCKET_PATH, "{len}");
        }
    }

    #[test]
    fn without_a_short_runtime_directory_there_is_no_socket() {
        let root = PathBuf::from(format!("/{}", "h".repeat(120)));
        let long = PathBuf::from(format!("/{}", "r".repeat(90)));
        assert!(socket_path(&root, None).is_err());
        assert!(socket_path(&root, Some(&long)).is_err());
    }

    #[test]
    fn a_daemon_that_was_started_on_a_read_only_file_system_is_found_in_the_runtime_directory() {
        let directory = tempfile::tempdir().unwrap();
        let (path, runtime) = (
            directory.path().join("home"),
            directory.path().join("runtime"),
        );
        for dir in [&path, &runtime] {
            std::fs::create_dir(dir).unwrap();
        }
        let usual = path.join("scoreld.sock");
        let hash = fnv1a(path.as_os_str().as_bytes());
        let other = runtime.join(format!("scorel-{hash:016x}.sock"));
        let socket = || socket_path(&path, Some(&runtime)).unwrap();
        assert_eq!(socket(), usual, "no daemon runs");
        let listener = UnixListener::bind(&other).unwrap();
        assert_eq!(socket(), other);
        let newer = UnixListener::bind(&usual).unwrap();
        assert_eq!(socket(), usual, "both listen");
        drop(newer);
        assert_eq!(socket(), other, "the usual one is left over");
        drop(listener);
        assert_eq!(socket(), usual, "both are left over");
    }
}
