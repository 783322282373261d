use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The directory in which a daemon keeps everything, and where it answers.
///
/// Client and daemon derive the same socket from the same directory, without asking each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
    is_default: bool,
    runtime_dir: Option<PathBuf>,
}

/// Why a home has no usable socket path.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Neither a directory was named nor a home directory of the user is known.
    #[error("no home directory: set SCOREL_HOME, or HOME")]
    Unknown,
    /// The path cannot be made absolute.
    #[error("{} is not a usable path", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The socket's path would be longer than the system allows.
    #[error(
        "{} is too long for a socket (at most {} bytes), and XDG_RUNTIME_DIR offers no shorter one",
        path.display(),
        Home::MAX_SOCKET_PATH
    )]
    TooLong {
        /// The socket that would be used.
        path: PathBuf,
    },
    /// The directory cannot be made.
    #[error("cannot make {}: {source}", path.display())]
    Create {
        /// The directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl Home {
    /// How long the path of a Unix socket may be, in bytes.
    pub const MAX_SOCKET_PATH: usize = 107;

    /// The directory `named` on the command line, else `SCOREL_HOME`, else `~/.scorel`.
    ///
    /// `variable` reads the environment. Empty variables count as absent. The path becomes
    /// absolute and loses `.` and double or final slashes, but links in it are not followed.
    ///
    /// # Errors
    ///
    /// If nothing says where the home is, or the path is empty.
    pub fn resolve(
        named: Option<&Path>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, HomeError> {
        let variable = |name| variable(name).filter(|value| !value.is_empty());
        let default = variable("HOME").map(|home| Path::new(&home).join(".scorel"));
        let path = named
            .map(Path::to_path_buf)
            .or_else(|| variable("SCOREL_HOME").map(PathBuf::from))
            .or_else(|| default.clone())
            .ok_or(HomeError::Unknown)?;
        let path = normal(&path)?;
        let is_default =
            default.is_some_and(|default| normal(&default).ok().as_ref() == Some(&path));
        Ok(Self {
            path,
            is_default,
            runtime_dir: variable("XDG_RUNTIME_DIR").map(PathBuf::from),
        })
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is the one that a user has without saying anything.
    #[must_use]
    pub const fn is_default(&self) -> bool {
        self.is_default
    }

    /// Where the daemon of this home answers: `scoreld.sock` in it, or, if that path is too long,
    /// `scorel-<hash>.sock` in `XDG_RUNTIME_DIR`, where `<hash>` is the 64-bit FNV-1a hash of the
    /// home's path as 16 lower-case hexadecimal digits.
    ///
    /// # Errors
    ///
    /// If both paths are too long, or the second one is not offered.
    pub fn socket_path(&self) -> Result<PathBuf, HomeError> {
        let fits = |path: &Path| path.as_os_str().len() <= Self::MAX_SOCKET_PATH;
        let usual = self.path.join("scoreld.sock");
        if fits(&usual) {
            return Ok(usual);
        }
        let name = format!(
            "scorel-{:016x}.sock",
            fnv1a(self.path.as_os_str().as_bytes())
        );
        let short = self.runtime_dir.as_ref().map(|dir| dir.join(name));
        short
            .filter(|path| fits(path))
            .ok_or(HomeError::TooLong { path: usual })
    }

    /// The lock that the daemon holds while it lives.
    #[must_use]
    pub fn daemon_lock(&self) -> PathBuf {
        self.path.join("scoreld.lock")
    }

    /// The lock that a client holds while it starts the daemon.
    #[must_use]
    pub fn start_lock(&self) -> PathBuf {
        self.path.join("start.lock")
    }

    /// The file that says who this client installation is.
    #[must_use]
    pub fn identity_file(&self) -> PathBuf {
        self.path.join("client.json")
    }

    /// Makes the directory, for its owner only, unless it is there.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn create(&self) -> Result<(), HomeError> {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.path)
            .map_err(|source| HomeError::Create {
                path: self.path.clone(),
                source,
            })
    }
}

fn normal(path: &Path) -> Result<PathBuf, HomeError> {
    let absolute = std::path::absolute(path).map_err(|source| HomeError::Path {
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

    fn home(named: Option<&str>, pairs: &[(&str, &str)]) -> Home {
        Home::resolve(named.map(Path::new), environment(pairs)).expect("a home")
    }

    #[test]
    fn the_flag_wins_over_the_variable_and_that_over_the_default() {
        let pairs = [("SCOREL_HOME", "/v"), ("HOME", "/u")];
        assert_eq!(home(Some("/f"), &pairs).path(), Path::new("/f"));
        assert_eq!(home(None, &pairs).path(), Path::new("/v"));
        assert_eq!(home(None, &pairs[1..]).path(), Path::new("/u/.scorel"));
        let nothing = Home::resolve(None, environment(&[("SCOREL_HOME", "")]));
        assert!(matches!(nothing, Err(HomeError::Unknown)));
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
            Err(HomeError::TooLong { .. })
        ));
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
