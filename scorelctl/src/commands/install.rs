//! Copies of extensions and workflow packages in the directory of the home that has them.
//!
//! In: a directory or a zip archive, which a stranger may have made. Out: all of it below its id, or nothing: the
//! files are written beside, and one rename makes them count. One change at a time holds the directory's lock.

mod copy;
mod error;
mod file_sink;
mod installable;
mod new_file;
mod staged;
mod unzip;
mod words;

use std::fs::{self, DirBuilder, File};
use std::marker::PhantomData;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};

use staged::{StagedFiles, sync};

pub(super) use error::InstallError;
pub(super) use file_sink::FileSink;
pub(super) use installable::Installable;
pub(super) use new_file::NewFile;
pub(super) use words::InstallWords;

/// Names of directories that do not count yet, or no more. They are not ids.
const STAGED: &str = ".adding";
const GONE: &str = ".removed";

/// The directory of all of one kind, locked.
#[derive(Debug)]
pub(super) struct InstallDir<K> {
    path: PathBuf,
    /// Keeps the lock.
    _lock: File,
    kind: PhantomData<K>,
}

/// A directory that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Installed<I> {
    pub(super) id: I,
    pub(super) path: PathBuf,
    /// True if it took the place of another.
    pub(super) replaced: bool,
}

impl<K: Installable> InstallDir<K> {
    /// Opens the directory, and creates it if it is missing. Removes what an interrupted change has left.
    ///
    /// # Errors
    /// Another program changes it, or what the system says.
    pub(super) fn open(path: &Path) -> Result<Self, InstallError> {
        let io = |source| InstallError::io(path, source);
        let mut builder = DirBuilder::new();
        builder
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(io)?;
        let lock = File::open(path).map_err(io)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(InstallError::Busy(K::WORDS)),
            Err(error) => return Err(io(error.into())),
        }
        for name in [STAGED, GONE] {
            remove(&path.join(name))?;
        }
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
            kind: PhantomData,
        })
    }

    /// Adds what is in a directory or a zip archive, under its own name or this id. Nothing of it is run.
    ///
    /// # Errors
    /// It is not of the kind, something in it is not copied, or there is one of this id and it is not to be replaced.
    /// Then all is as it was.
    pub(super) fn add(
        &self,
        source: &Path,
        id: Option<&K::Id>,
        replace: bool,
    ) -> Result<Installed<K::Id>, InstallError> {
        self.add_by(|files| read(source, files), id, replace)
    }

    /// Adds these files.
    ///
    /// # Errors
    /// As [`InstallDir::add`].
    pub(super) fn add_files(
        &self,
        files: &[NewFile],
        id: Option<&K::Id>,
        replace: bool,
    ) -> Result<Installed<K::Id>, InstallError> {
        let write = |staged: &mut StagedFiles| {
            let mut files = files.iter();
            files.try_for_each(|it| staged.write(&it.name, it.is_executable, it.bytes.as_slice()))
        };
        self.add_by(write, id, replace)
    }

    fn add_by(
        &self,
        write: impl FnOnce(&mut StagedFiles) -> Result<(), InstallError>,
        id: Option<&K::Id>,
        replace: bool,
    ) -> Result<Installed<K::Id>, InstallError> {
        let staging = self.path.join(STAGED);
        let added = self.put(&staging, write, id, replace);
        // Also after an exchange: then the one that was replaced is in it.
        let removed = remove(&staging);
        let added = added?;
        removed?;
        Ok(added)
    }

    fn put(
        &self,
        staging: &Path,
        write: impl FnOnce(&mut StagedFiles) -> Result<(), InstallError>,
        id: Option<&K::Id>,
        replace: bool,
    ) -> Result<Installed<K::Id>, InstallError> {
        let mut files = StagedFiles::new(staging)?;
        write(&mut files)?;
        let root = files.finish(K::is_one)?;
        let words = K::WORDS;
        let id =
            K::identify(&root, id).map_err(|reason| InstallError::Unusable { words, reason })?;
        let path = self.path.join(id.to_string());
        let io = |source: std::io::Error| InstallError::io(&path, source);
        let replaced = path.symlink_metadata().is_ok();
        match replaced {
            true if !replace => {
                let id = id.to_string();
                return Err(InstallError::Exists { words, id });
            }
            true => {
                let exchanged = renameat_with(CWD, &root, CWD, &path, RenameFlags::EXCHANGE);
                exchanged.map_err(|error| io(error.into()))?;
            }
            false => fs::rename(&root, &path).map_err(io)?,
        }
        sync(&self.path)?;
        Ok(Installed { id, path, replaced })
    }

    /// Removes one. What it keeps stays.
    ///
    /// # Errors
    /// There is none of this id, or what the system says.
    pub(super) fn remove(&self, id: &K::Id) -> Result<(), InstallError> {
        let path = self.path.join(id.to_string());
        if path.symlink_metadata().is_err() {
            let (words, id) = (K::WORDS, id.to_string());
            return Err(InstallError::Unknown { words, id });
        }
        let gone = self.path.join(GONE);
        fs::rename(&path, &gone).map_err(|error| InstallError::io(&path, error))?;
        sync(&self.path)?;
        remove(&gone)
    }
}

/// Gives the files of a directory or a zip archive to a sink.
pub(super) fn read(source: &Path, files: &mut impl FileSink) -> Result<(), InstallError> {
    let metadata = fs::metadata(source).map_err(|error| InstallError::io(source, error))?;
    match metadata.is_dir() {
        true => copy::copy(source, files),
        false => unzip::unzip(source, files),
    }
}

/// Removes a directory with all that is in it, or a link; nothing if there is none.
fn remove(path: &Path) -> Result<(), InstallError> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => return Ok(()),
    };
    removed.map_err(|error| InstallError::io(path, error))
}
