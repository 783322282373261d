use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::sys::statvfs::{FsFlags, statvfs};

/// A daemon's home directory and the paths derived from it.
///
/// Client and daemon derive the same socket path from the same directory, so they find each other
/// without a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonHome {
    path: PathBuf,
    is_default: bool,
    runtime_dir: Option<PathBuf>,
}

/// Why a home directory or its socket path cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DaemonHomeError {
    /// No directory was given, and neither `SCOREL_HOME` nor `HOME` is set.
    #[error("no home directory: set SCOREL_HOME, or HOME")]
    Unknown,
    /// `SCOREL_HOME` is relative. Programs in other directories would not find the same home.
    #[error("SCOREL_HOME must be an absolute path, not {}", path.display())]
    Relative {
        /// The path as given.
        path: PathBuf,
    },
    /// The path cannot be made absolute, for example because it is empty.
    #[error("{} is not a usable path", path.display())]
    Path {
        /// The path as given.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The path of the socket exceeds [`DaemonHome::MAX_SOCKET_PATH`], and so does its substitute, if
    /// there is one.
    #[error(
        "{} is too long for a socket (at most {} bytes), and XDG_RUNTIME_DIR offers no shorter one",
        path.display(),
        DaemonHome::MAX_SOCKET_PATH
    )]
    TooLong {
        /// The preferred path.
        path: PathBuf,
    },
    /// The home directory is on a read-only file system, and there is no other place for the socket.
    #[error(
        "{} cannot exist on a read-only file system; set XDG_RUNTIME_DIR for the socket",
        path.display()
    )]
    ReadOnly {
        /// The preferred path.
        path: PathBuf,
    },
    /// The directory cannot be created.
    #[error("cannot create {}: {source}", path.display())]
    Create {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl DaemonHome {
    /// The maximum length of a Unix socket's path in bytes: the 108 bytes of `sun_path` on Linux,
    /// less the terminating zero.
    pub const MAX_SOCKET_PATH: usize = 107;

    /// Determines the home directory: `named` (from the command line), else `SCOREL_HOME`, else
    /// `~/.scorel`.
    ///
    /// `variable` reads the environment; empty variables count as unset. The path is made absolute,
    /// without `.` components and superfluous slashes; symbolic links are kept.
    ///
    /// # Errors
    ///
    /// If none of the three is set, the path is empty, or `SCOREL_HOME` is relative and counts.
    pub fn resolve(
        named: Option<&Path>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, DaemonHomeError> {
        let variable = |name| variable(name).filter(|value| !value.is_empty());
        let default = variable("HOME").map(|home| Path::new(&home).join(".scorel"));
        let path = match (named, variable("SCOREL_HOME").map(PathBuf::from)) {
            (Some(named), _) => named.to_path_buf(),
            (None, Some(path)) if path.is_relative() => {
                return Err(DaemonHomeError::Relative { path });
            }
            (None, Some(path)) => path,
            (None, None) => default.clone().ok_or(DaemonHomeError::Unknown)?,
        };
        let path = normal(&path)?;
        let is_default =
            default.is_some_and(|default| normal(&default).ok().as_ref() == Some(&path));
        Ok(Self {
            path,
            is_default,
            runtime_dir: variable("XDG_RUNTIME_DIR").map(PathBuf::from),
        })
    }

    /// The absolute path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is the default, `~/.scorel`. Only that one is managed by the service manager.
    #[must_use]
    pub const fn is_default(&self) -> bool {
        self.is_default
    }

    /// The daemon's socket: `scoreld.sock` in the home directory. If that path is too long, or the
    /// directory is on a read-only file system and no daemon listens there, `scorel-<hash>.sock` in
    /// `XDG_RUNTIME_DIR`, where `<hash>` is the 64-bit FNV-1a hash of the home's path as 16 lower-case
    /// hexadecimal digits. A daemon that was started on a read-only file system keeps that socket when
    /// the file system becomes writable.
    ///
    /// # Errors
    ///
    /// If there is no usable path, or `XDG_RUNTIME_DIR` is needed and not set.
    pub fn socket_path(&self) -> Result<PathBuf, DaemonHomeError> {
        let fits = |path: &Path| path.as_os_str().len() <= Self::MAX_SOCKET_PATH;
        let usual = self.path.join("scoreld.sock");
        let name = format!(
            "scorel-{:016x}.sock",
            fnv1a(self.path.as_os_str().as_bytes())
        );
        let short = self.runtime_dir.as_ref().map(|dir| dir.join(name));
        let short = short.filter(|path| fits(path));
        if !fits(&usual) {
            return short.ok_or(DaemonHomeError::TooLong { path: usual });
        }
        // Without a listener the usual path is right, unless no socket can be bound there.
        let is_elsewhere = if self.is_read_only() {
            !listens(&usual)
        } else {
            short.as_deref().is_some_and(listens) && !listens(&usual)
        };
        if is_elsewhere {
            short.ok_or(DaemonHomeError::ReadOnly { path: usual })
        } else {
            Ok(usual)
        }
    }

    /// Whether the directory is on a read-only file system.
    fn is_read_only(&self) -> bool {
        let status = statvfs(&self.path);
        status.is_ok_and(|status| status.flags().contains(FsFlags::ST_RDONLY))
    }

    /// The file that the daemon holds locked as long as it runs.
    #[must_use]
    pub fn daemon_lock(&self) -> PathBuf {
        self.path.join("scoreld.lock")
    }

    /// The file in which the daemon describes itself.
    #[must_use]
    pub fn daemon_info(&self) -> PathBuf {
        self.path.join("daemon.json")
    }

    /// The file that a client holds locked while it starts the daemon.
    #[must_use]
    pub fn start_lock(&self) -> PathBuf {
        self.path.join("start.lock")
    }

    /// The file with the identity of this client installation.
    #[must_use]
    pub fn identity_file(&self) -> PathBuf {
        self.path.join("client.json")
    }

    /// Creates the directory with mode 0700, unless it exists.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn create(&self) -> Result<(), DaemonHomeError> {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.path)
            .map_err(|source| DaemonHomeError::Create {
                path: self.path.clone(),
                source,
            })
    }
}

/// Whether a process listens on the socket at a path.
fn listens(path: &Path) -> bool {
    UnixStream::connect(path).is_ok()
}

fn normal(path: &Path) -> Result<PathBuf, DaemonHomeError> {
    let absolute = std::path::absolute(path).map_err(|source| DaemonHomeError::Path {
        path: path.to_path_buf(),
        source,
    })?;
    Ok(absolute.components().collect())
}

fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    bytes.iter().fold(OFFSET, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        let pairs: Vec<(String, OsString)> = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.into()))
            .collect();
        move |name| {
            let found = pairs.iter().find(|(key, _)| key == name)?;
            Some(found.1.clone())
        }
    }

    fn home(named: Option<&str>, pairs: &[(&str, &str)]) -> DaemonHome {
        DaemonHome::resolve(named.map(Path::new), environment(pairs)).expect("a home")
    }

    #[test]
    fn the_flag_wins_over_the_variable_and_that_over_the_default() {
        let pairs = [("SCOREL_HOME", "/v"), ("HOME", "/u")];
        assert_eq!(home(Some("/f"), &pairs).path(), Path::new("/f"));
        assert_eq!(home(None, &pairs).path(), Path::new("/v"));
        assert_eq!(home(None, &pairs[1..]).path(), Path::new("/u/.scorel"));
        let relative = environment(&[("SCOREL_HOME", "v"), ("HOME", "/u")]);
        assert!(DaemonHome::resolve(Some(Path::new("/f")), &relative).is_ok());
        let relative = DaemonHome::resolve(None, relative);
        assert!(matches!(relative, Err(DaemonHomeError::Relative { .. })));
        let nothing = DaemonHome::resolve(None, environment(&[("SCOREL_HOME", "")]));
        assert!(matches!(nothing, Err(DaemonHomeError::Unknown)));
    }

    #[test]
    fn the_default_is_recognised_however_it_is_written() {
        let pairs = [("HOME", "/u")];
        assert!(home(None, &pairs).is_default());
        assert!(home(Some("/u/./.scorel/"), &pairs).is_default());
        assert!(!home(Some("/u/other"), &pairs).is_default());
    }

    #[test]
    fn a_socket_path_that_is_too_long_moves_to_the_runtime_directory() {
        let long = format!("/{}", "x".repeat(93));
        assert_eq!(
            home(Some(&long), &[]).socket_path().expect("a path"),
            Path::new(&long).join("scoreld.sock"),
            "107 bytes fit"
        );
        let longer = format!("/{}", "x".repeat(94));
        let short = home(Some(&longer), &[("XDG_RUNTIME_DIR", "/run/user/1")]);
        let path = short.socket_path().expect("a path");
        let text = path.to_str().expect("text");
        assert!(text.starts_with("/run/user/1/scorel-"), "{text}");
        assert_eq!(text.len(), "/run/user/1/scorel-.sock".len() + 16);
        assert!(matches!(
            home(Some(&longer), &[]).socket_path(),
            Err(DaemonHomeError::TooLong { .. })
        ));
    }

    #[test]
    fn a_daemon_that_was_started_on_a_read_only_file_system_is_found_in_the_runtime_directory() {
        let directory = tempfile::tempdir().expect("a directory");
        let (path, runtime) = (
            directory.path().join("home"),
            directory.path().join("runtime"),
        );
        for dir in [&path, &runtime] {
            std::fs::create_dir(dir).expect("a directory");
        }
        let environment = [("XDG_RUNTIME_DIR", runtime.to_str().expect("text"))];
        let home = home(path.to_str(), &environment);
        let usual = path.join("scoreld.sock");
        let hash = fnv1a(path.as_os_str().as_bytes());
        let other = runtime.join(format!("scorel-{hash:016x}.sock"));
        let socket = || home.socket_path().expect("a path");
        assert_eq!(socket(), usual, "no daemon runs");
        let listener = UnixListener::bind(&other).expect("a socket");
        assert_eq!(socket(), other);
        let newer = UnixListener::bind(&usual).expect("a socket");
        assert_eq!(socket(), usual, "both listen");
        drop(newer);
        assert_eq!(socket(), other, "the usual one is left over");
        drop(listener);
        assert_eq!(socket(), usual, "both are left over");
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
