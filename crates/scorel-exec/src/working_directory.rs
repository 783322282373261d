//! The working directory across processes and namespaces.

use std::env;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _};
use std::os::unix::fs::MetadataExt as _;

use serde::{Deserialize, Serialize};

#[derive(Debug, thiserror::Error)]
pub(crate) enum DirectoryError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is hidden from commands, was removed or was replaced")]
    Elsewhere,
}

/// The directory that a command is to run in.
///
/// A process keeps its working directory when something is mounted over it or over a directory above
/// it. It is then below the mount, where nothing is protected and nothing is hidden. So the directory
/// is entered again, by its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkingDirectory {
    /// Not a `PathBuf`, which is text to serde.
    path: OsString,
    /// Device and inode.
    id: (u64, u64),
}

impl WorkingDirectory {
    /// The directory that a descriptor refers to, by the path that it has now.
    pub(crate) fn of(directory: impl AsFd) -> io::Result<Self> {
        let descriptor = format!("/proc/self/fd/{}", directory.as_fd().as_raw_fd());
        Ok(Self {
            path: fs::read_link(&descriptor)?.into_os_string(),
            id: id(&fs::metadata(&descriptor)?),
        })
    }

    /// Returns whether this process is in the directory.
    pub(crate) fn is_current(&self) -> io::Result<bool> {
        Ok(id(&fs::metadata(".")?) == self.id)
    }

    /// Enters the directory by its path. Fails if that leads to another one, as it does when the
    /// directory is masked.
    pub(crate) fn enter(&self) -> Result<(), DirectoryError> {
        env::set_current_dir(&self.path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => DirectoryError::Elsewhere,
            _ => DirectoryError::Io(error),
        })?;
        if self.is_current()? {
            Ok(())
        } else {
            Err(DirectoryError::Elsewhere)
        }
    }
}

fn id(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}
