use std::ffi::OsString;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use scorel_local::{NoSocketPath, socket_path};

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
    /// There is no place for the socket.
    #[error(transparent)]
    Socket(#[from] NoSocketPath),
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
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is the default, `~/.scorel`. Only that one is managed by the service manager.
    pub const fn is_default(&self) -> bool {
        self.is_default
    }

    /// The daemon's socket; see [`scorel_local::socket_path`].
    ///
    /// # Errors
    ///
    /// If there is no usable path, or `XDG_RUNTIME_DIR` is needed and not set.
    pub fn socket_path(&self) -> Result<PathBuf, DaemonHomeError> {
        Ok(socket_path(&self.path, self.runtime_dir.as_deref())?)
    }

    /// The file that the daemon holds locked as long as it runs.
    pub fn daemon_lock(&self) -> PathBuf {
        self.path.join("scoreld.lock")
    }

    /// The file in which the daemon describes itself.
    pub fn daemon_info(&self) -> PathBuf {
        self.path.join("daemon.json")
    }

    /// The file that a client holds locked while it starts the daemon.
    pub fn start_lock(&self) -> PathBuf {
        self.path.join("start.lock")
    }

    /// The file with the identity of this client installation.
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

fn normal(path: &Path) -> Result<PathBuf, DaemonHomeError> {
    scorel_local::absolute(path).map_err(|source| DaemonHomeError::Path {
        path: path.to_path_buf(),
        source,
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
            Err(DaemonHomeError::Socket(NoSocketPath::TooLong { .. }))
        ));
    }
}
