use std::error::Error;
use std::io;
use std::path::PathBuf;

use scorel_host::HomeError;
use scorel_host::LockError;

/// Why nothing was checked, or nothing repaired.
#[derive(Debug, thiserror::Error)]
pub enum FsckError {
    /// Nothing says where the home is.
    #[error(transparent)]
    Locate(#[from] HomeError),
    /// There is no home, or it cannot be looked at.
    #[error("cannot look at {}", path.display())]
    Home {
        /// The home.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Something else has its name.
    #[error("{} is not a directory", path.display())]
    NotDirectory {
        /// The home.
        path: PathBuf,
    },
    /// The sessions cannot be listed.
    #[error("cannot list {}", path.display())]
    List {
        /// The directory of sessions.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// No session has that id.
    #[error("there is no session `{wanted}`")]
    NoSession {
        /// The id or its beginning.
        wanted: String,
    },
    /// More than one session's id begins like that.
    #[error("`{wanted}` is the beginning of {count} sessions")]
    Ambiguous {
        /// The beginning of the ids.
        wanted: String,
        /// How many sessions match.
        count: usize,
    },
    /// Only one process may write.
    #[error("a daemon holds the home; stop it with `scorelctl stop`, then repair")]
    DaemonRuns,
    /// Nobody can tell whether a daemon runs.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Standard output is closed.
    #[error("cannot write to standard output")]
    Print(#[source] io::Error),
}

impl FsckError {
    /// A stable name, for programs.
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

/// The error and its causes in one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
