//! The directory in which the daemon keeps everything, and the paths in it.

mod check;
mod error;
mod locate;
mod lock;
mod socket_path;

use std::fs;
use std::path::{Path, PathBuf};

pub use error::HomeError;
pub use locate::HomeSource;
pub(crate) use locate::user_home;
pub use lock::{HomeLock, LockError};
pub use socket_path::{MAX_SOCKET_PATH, SocketPathTooLong, socket_path};

/// A directory that exists, belongs to this user and cannot be changed by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
    socket: PathBuf,
}

impl Home {
    /// Checks the directory at `root`, which is absolute, and creates it with mode 0700 if it is
    /// missing, whatever the umask. A directory that others can only read is closed to them.
    ///
    /// `runtime_dir` is where the socket goes if its path in the home is too long.
    ///
    /// # Errors
    /// The directory is not safe to use, or not usable; the message says what to do.
    pub fn open(root: &Path, runtime_dir: Option<&Path>) -> Result<Self, HomeError> {
        check::prepare(root)?;
        let socket = socket_path(root, runtime_dir)?;
        if let Some(dir) = socket.parent().filter(|dir| *dir != root) {
            check::verify(dir)?;
        }
        Ok(Self {
            root: root.to_owned(),
            socket,
        })
    }

    /// Checks the directory at `root`, which must exist, and changes nothing.
    ///
    /// # Errors
    /// The directory is not safe to use.
    pub fn verify(root: &Path) -> Result<fs::Metadata, HomeError> {
        check::verify(root)
    }

    /// The paths in the directory at `root`, which is neither checked nor created. For who only
    /// looks: the socket may be elsewhere.
    #[must_use]
    pub fn unopened(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            socket: root.join("scoreld.sock"),
        }
    }

    /// The directory itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The socket on which the daemon listens.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The user's configuration.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// The user's secrets, as `KEY=value` lines.
    #[must_use]
    pub fn env(&self) -> PathBuf {
        self.root.join("env")
    }

    /// This machine's identity.
    #[must_use]
    pub fn device(&self) -> PathBuf {
        self.root.join("device.json")
    }

    /// The registered projects.
    #[must_use]
    pub fn projects(&self) -> PathBuf {
        self.root.join("projects.json")
    }

    /// The receipts of mutations that belong to no session.
    #[must_use]
    pub fn receipts(&self) -> PathBuf {
        self.root.join("receipts.jsonl")
    }

    /// The lock that the daemon holds while it lives.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.root.join("scoreld.lock")
    }

    /// What is known about the running daemon.
    #[must_use]
    pub fn daemon(&self) -> PathBuf {
        self.root.join("daemon.json")
    }

    /// The directory with one directory for each session.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// The summaries of all sessions.
    #[must_use]
    pub fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    /// The sessions with unfinished work.
    #[must_use]
    pub fn active(&self) -> PathBuf {
        self.root.join("active")
    }

    /// The directory with the daemon's own log.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }
}

#[cfg(test)]
mod tests;
