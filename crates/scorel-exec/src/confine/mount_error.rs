//! Why a command's mounts cannot be made.

use std::io;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

#[derive(Debug, thiserror::Error)]
pub(super) enum MountError {
    #[error("cannot enter a mount namespace: {0}")]
    Namespace(#[from] io::Error),
    #[error("{}: {source}", place.display())]
    Mount { place: PathBuf, source: Errno },
}

impl MountError {
    pub(super) fn at(place: &Path, source: Errno) -> Self {
        Self::Mount {
            place: place.to_owned(),
            source,
        }
    }
}
