use std::io;
use std::path::PathBuf;

use crate::trusted_file::FileProblem;

/// Why the registry cannot be used. It is never repaired by itself: sessions refer to projects.
#[derive(Debug, thiserror::Error)]
pub enum OpenProjectsError {
    /// The file cannot be read safely.
    #[error(transparent)]
    File(#[from] FileProblem),
    /// The file is not what was written.
    #[error(
        "{path} is damaged ({reason}); restore it from a backup, or move it away to start with no projects (their sessions stay in the home)"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A later version of this program wrote it.
    #[error(
        "{path} has version {version}, which this program does not know; use the newer scoreld"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
}

/// Why a project was not registered or removed.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The path depends on a working directory.
    #[error("`{path}` is not an absolute path")]
    NotAbsolute {
        /// The path.
        path: String,
    },
    /// There is nothing.
    #[error("`{path}` does not exist")]
    NotFound {
        /// The path.
        path: String,
    },
    /// There is something else.
    #[error("`{path}` is not a directory")]
    NotDirectory {
        /// The path.
        path: String,
    },
    /// A link leads to a path that is not UTF-8.
    #[error("`{path}` leads to a directory whose path is not text")]
    NotText {
        /// The path.
        path: String,
    },
    /// The system refused to look.
    #[error("cannot look at `{path}`")]
    Read {
        /// The path.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The registry is full.
    #[error("there are {max} projects already; remove some")]
    TooMany {
        /// How many there may be.
        max: usize,
    },
    /// The registry could not be written.
    #[error("cannot write {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl ProjectError {
    /// Whether the caller's path is the reason, rather than the daemon's own files.
    #[must_use]
    pub const fn is_about_the_path(&self) -> bool {
        !matches!(self, Self::Write { .. } | Self::TooMany { .. })
    }
}
