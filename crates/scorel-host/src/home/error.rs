use std::io;
use std::path::PathBuf;

use super::SocketPathTooLong;

/// Why a directory cannot be the home.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Nothing says where the home is.
    #[error("no home directory is known; pass --home or set SCOREL_HOME")]
    Unknown,
    /// `SCOREL_HOME` is relative: every working directory would have its own daemon.
    #[error("SCOREL_HOME is `{path}`, which is not an absolute path")]
    Relative {
        /// What the variable says.
        path: PathBuf,
    },
    /// It is a symbolic link, so it could lead elsewhere tomorrow.
    #[error(
        "{path} is a symbolic link; pass the directory that it leads to as --home or SCOREL_HOME"
    )]
    Symlink {
        /// The directory.
        path: PathBuf,
    },
    /// Something else is there.
    #[error("{path} is not a directory; move it away or choose another home with --home")]
    NotDirectory {
        /// The path.
        path: PathBuf,
    },
    /// Somebody else could read everything and put anything there.
    #[error("{path} belongs to user {uid}, not to you; choose another home with --home")]
    ForeignOwner {
        /// The directory.
        path: PathBuf,
        /// Its owner.
        uid: u32,
    },
    /// Other users can create and remove files in it.
    #[error("{path} can be written by other users; run `chmod 700 {path}`")]
    Writable {
        /// The directory.
        path: PathBuf,
    },
    /// Other users can put another directory in its place.
    #[error(
        "{path} can be written by every user, so the home below it could be replaced; choose another home with --home or run `chmod o-w {path}`"
    )]
    ReplaceableParent {
        /// The directory above.
        path: PathBuf,
    },
    /// No path for the socket is short enough.
    #[error(transparent)]
    Socket(#[from] SocketPathTooLong),
    /// The system refused.
    #[error("cannot {action} {path}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
}
