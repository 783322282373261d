use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fs2::FileExt;
use scorel_fs::{if_present, open_regular};

/// The exclusive right to write in a home: `flock` on `scoreld.lock`. The kernel releases it when the
/// process ends, even by SIGKILL, so no stale lock is ever left to judge.
#[derive(Debug)]
pub struct HomeLock {
    file: File,
    path: PathBuf,
}

/// The reason why the lock's state cannot be determined.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("{path} is not a regular file; move it away")]
    NotRegular { path: PathBuf },
    #[error("cannot lock {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl HomeLock {
    /// Takes the lock; `None` if another process holds it.
    pub fn try_take(path: &Path) -> Result<Option<Self>, LockError> {
        let failed = |source| LockError::Io {
            path: path.to_owned(),
            source,
        };
        loop {
            let file = open(path)?;
            match file.try_lock_exclusive() {
                Ok(()) if is_at(&file, path).map_err(failed)? => {
                    let path = path.to_owned();
                    return Ok(Some(Self { file, path }));
                }
                // The file was unlinked between open and lock: others would lock a new file.
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// Returns whether the lock still guards the home: its file was neither deleted nor replaced, alone or
    /// with the home. Otherwise another daemon could take the home.
    pub fn is_in_place(&self) -> bool {
        // An error of the file system proves nothing.
        is_at(&self.file, &self.path).unwrap_or(true)
    }

    /// Returns whether a process holds the lock. Creates nothing. The test takes a shared lock for a moment;
    /// a daemon that starts meanwhile retries.
    pub fn is_held(path: &Path) -> bool {
        let file = open_regular(File::options().read(true), path);
        let shared = file.and_then(|file| FileExt::try_lock_shared(&file));
        shared.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

fn open(path: &Path) -> Result<File, LockError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let opened = match open_regular(options.mode(0o600), path) {
        // A lock needs no write access. A file that is missing cannot be made there, though.
        Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => {
            open_regular(File::options().read(true), path)
        }
        opened => opened,
    };
    let path = || path.to_owned();
    opened.map_err(|source| match source.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory => {
            LockError::NotRegular { path: path() }
        }
        _ => LockError::Io {
            path: path(),
            source,
        },
    })
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    let there = if_present(fs::symlink_metadata(path))?;
    Ok(there.is_some_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())))
}
