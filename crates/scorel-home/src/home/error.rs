use std::io;
use std::path::PathBuf;

use scorel_local::NoSocketPath;

/// The reason why a directory cannot be used as the home.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error("cannot determine the home directory; pass --home or set SCOREL_HOME")]
    Unknown,
    /// Refused: every working directory would get its own daemon.
    #[error("SCOREL_HOME is `{path}`, which is not an absolute path")]
    Relative { path: PathBuf },
    /// Refused: its target could change later.
    #[error("{path} is a symbolic link; pass its target as --home or SCOREL_HOME")]
    Symlink { path: PathBuf },
    #[error("{path} is not a directory; move it away or choose another home with --home")]
    NotDirectory { path: PathBuf },
    #[error("{path} belongs to user {uid}, not to you; choose another home with --home")]
    ForeignOwner { path: PathBuf, uid: u32 },
    #[error("{path} is writable by other users; run `chmod 700 {path}`")]
    Writable { path: PathBuf },
    #[error(
        "{path} is world-writable without the sticky bit, so other users could replace the home; choose another home with --home or run `chmod o-w {path}`"
    )]
    ReplaceableParent { path: PathBuf },
    #[error(transparent)]
    Socket(#[from] NoSocketPath),
    #[error("cannot {action} {path}")]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}
