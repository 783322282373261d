use std::io;
use std::path::{Path, PathBuf};

use crate::trusted_file::FileProblem;

/// The reason why a state file is not read or replaced. Nothing repairs it by itself.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error(transparent)]
    File(#[from] FileProblem),
    #[error("{path} is damaged ({reason}); {cure}")]
    Damaged {
        path: PathBuf,
        reason: String,
        /// The way out, for people.
        cure: &'static str,
    },
    #[error(
        "{path} has version {version}, and this program knows up to {known}; use the newer scoreld"
    )]
    Newer {
        path: PathBuf,
        version: u32,
        known: u32,
    },
    #[error("cannot write {path}")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl StateError {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(problem) => problem.path(),
            Self::Damaged { path, .. } | Self::Newer { path, .. } | Self::Write { path, .. } => {
                path
            }
        }
    }
}
