//! The home directory: where it is, what makes it safe to use, and the paths in it.

mod check;
mod error;
mod left_over;
mod locate;
mod lock;

use std::fs;
use std::path::{Path, PathBuf};

use scorel_local::{is_read_only, socket_path};
use scorel_permission::WORKTREES;

pub use error::HomeError;
pub use locate::HomeSource;
pub use locate::user_home;
pub use lock::{HomeLock, LockError};

/// A directory that exists, belongs to this user and is not writable by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
    socket: PathBuf,
}

impl Home {
    /// Checks the directory at `root`, an absolute path, and creates it with mode 0700 if it is
    /// missing, whatever the umask. One that others can read is set to 0700; one that they can write
    /// is refused.
    ///
    /// `runtime_dir` holds the socket if its path in the home is too long, or the home is on a
    /// read-only file system.
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

    /// Checks an existing directory and changes nothing.
    pub fn verify(root: &Path) -> Result<fs::Metadata, HomeError> {
        check::verify(root)
    }

    /// The paths in the directory at `root`, without checking or creating it. For readers only: the
    /// socket may be in the runtime directory instead.
    pub fn unopened(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            socket: root.join("scoreld.sock"),
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Returns whether the home is on a read-only file system: it can be served for reading.
    pub fn is_read_only(&self) -> bool {
        is_read_only(&self.root)
    }

    pub fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// Secrets as `NAME=value` lines.
    pub fn env(&self) -> PathBuf {
        self.root.join("env")
    }

    pub fn device(&self) -> PathBuf {
        self.root.join("device.json")
    }

    pub fn projects(&self) -> PathBuf {
        self.root.join("projects.json")
    }

    /// Receipts of commands that belong to no session.
    pub fn receipts(&self) -> PathBuf {
        self.root.join("receipts.jsonl")
    }

    /// Held by the daemon while it runs; see [`HomeLock`].
    pub fn lock(&self) -> PathBuf {
        self.root.join("scoreld.lock")
    }

    /// Process id, version and socket of the running daemon, for people.
    pub fn daemon(&self) -> PathBuf {
        self.root.join("daemon.json")
    }

    /// Which items of projects are trusted.
    pub fn trust(&self) -> PathBuf {
        self.root.join("trust.json")
    }

    /// Copies of trusted items, by digest.
    pub fn store(&self) -> PathBuf {
        self.root.join("store")
    }

    /// What endpoints listed about their models. May be deleted.
    pub fn models(&self) -> PathBuf {
        self.root.join("models.json")
    }

    /// One directory per session.
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// Deleted sessions that can be brought back.
    pub fn trash(&self) -> PathBuf {
        self.root.join("trash")
    }

    /// Summaries of all sessions; derived.
    pub fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    /// What model calls used and cost, by session, day and model; derived, but for deleted sessions.
    pub fn usage(&self) -> PathBuf {
        self.root.join("usage")
    }

    /// The search index; derived. The database keeps two files beside it.
    pub fn search(&self) -> PathBuf {
        self.root.join("search.db")
    }

    /// The sandbox that this boot's kernel allows the daemon, as it was tried; derived.
    pub fn sandbox_support(&self) -> PathBuf {
        self.root.join("sandbox-support")
    }

    /// Sessions with unfinished work, which recovery loads.
    pub fn active(&self) -> PathBuf {
        self.root.join("active")
    }

    /// The git worktrees of agents.
    pub fn worktrees(&self) -> PathBuf {
        self.root.join(WORKTREES)
    }

    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }
}

#[cfg(test)]
mod tests;
