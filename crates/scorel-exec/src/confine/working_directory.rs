//! The working directory across namespaces.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(super) enum DirectoryError {
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
#[derive(Debug)]
pub(super) struct WorkingDirectory {
    path: PathBuf,
    /// Device and inode.
    id: (u64, u64),
}

impl WorkingDirectory {
    /// The directory of this process.
    pub(super) fn current() -> io::Result<Self> {
        Ok(Self {
            path: fs::read_link("/proc/self/cwd")?,
            id: current_id()?,
        })
    }

    /// Enters the directory by its path. Fails if that leads to another one, as it does when the
    /// directory is masked.
    pub(super) fn enter(&self) -> Result<(), DirectoryError> {
        env::set_current_dir(&self.path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => DirectoryError::Elsewhere,
            _ => DirectoryError::Io(error),
        })?;
        if current_id()? == self.id {
            Ok(())
        } else {
            Err(DirectoryError::Elsewhere)
        }
    }
}

fn current_id() -> io::Result<(u64, u64)> {
    let found = fs::metadata(".")?;
    Ok((found.dev(), found.ino()))
}
