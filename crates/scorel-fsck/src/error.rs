use std::io;
use std::path::PathBuf;

use scorel_home::{HomeError, LockError};

/// Why nothing could be checked or repaired.
#[derive(Debug, thiserror::Error)]
pub enum FsckError {
    #[error(transparent)]
    Locate(#[from] HomeError),
    #[error("cannot access {}", path.display())]
    Home {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} is not a directory", path.display())]
    NotDirectory { path: PathBuf },
    #[error("cannot list {}", path.display())]
    List {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("there is no session `{wanted}`")]
    NoSession { wanted: String },
    #[error("`{wanted}` matches {count} sessions")]
    Ambiguous { wanted: String, count: usize },
    #[error("a daemon holds the home; stop it with `scorelctl stop`, then repair")]
    DaemonRuns,
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("cannot write to standard output")]
    Print(#[source] io::Error),
}

impl FsckError {
    /// Stable: scripts match on it.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Locate(_) | Self::Home { .. } | Self::NotDirectory { .. } => "no_home",
            Self::List { .. } => "unreadable",
            Self::NoSession { .. } => "session_not_found",
            Self::Ambiguous { .. } => "ambiguous",
            Self::DaemonRuns => "daemon_runs",
            Self::Lock(_) => "lock",
            Self::Print(_) => "io",
        }
    }
}
