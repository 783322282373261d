//! Copies of extensions in the directory that has them.
//!
//! In: a directory or a zip archive, which a stranger may have made. Out: all of it below its id, or nothing: the
//! files are written beside, and one rename makes them an extension. One change at a time holds the directory's lock.

mod copy;
mod error;
mod staged;
mod unzip;

use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};
use scorel_extension::ExtensionId;
use scorel_extension::program::{MANIFEST, Manifest};
use scorel_plugin::{FileProblem, PluginReading};

use staged::{StagedFiles, sync};

pub(super) use error::InstallError;

/// Names of directories that are no extension yet, or none any more. They are no ids.
const STAGED: &str = ".adding";
const GONE: &str = ".removed";

/// The directory of extensions, locked.
#[derive(Debug)]
pub(super) struct ExtensionsDir {
    path: PathBuf,
    /// Keeps the lock.
    _lock: File,
}

/// An extension that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AddedExtension {
    pub(super) id: ExtensionId,
    pub(super) path: PathBuf,
    /// True if it took the place of another.
    pub(super) replaced: bool,
}

impl ExtensionsDir {
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
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(InstallError::Busy),
            Err(error) => return Err(io(error.into())),
        }
        for name in [STAGED, GONE] {
            remove(&path.join(name))?;
        }
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// Adds the extension in a directory or a zip archive, under its own name or this id. Nothing of it is run.
    ///
    /// # Errors
    /// It is not an extension, something in it is not copied, or there is one of this id and it is not to be replaced.
    /// Then all is as it was.
    pub(super) fn add(
        &self,
        source: &Path,
        id: Option<&ExtensionId>,
        replace: bool,
    ) -> Result<AddedExtension, InstallError> {
        let staging = self.path.join(STAGED);
        let added = self.add_by(&staging, source, id, replace);
        // Also after an exchange: then the one that was replaced is in it.
        let removed = remove(&staging);
        let added = added?;
        removed?;
        Ok(added)
    }

    fn add_by(
        &self,
        staging: &Path,
        source: &Path,
        id: Option<&ExtensionId>,
        replace: bool,
    ) -> Result<AddedExtension, InstallError> {
        let mut files = StagedFiles::new(staging)?;
        let metadata = fs::metadata(source).map_err(|error| InstallError::io(source, error))?;
        match metadata.is_dir() {
            true => copy::copy(source, &mut files)?,
            false => unzip::unzip(source, &mut files)?,
        }
        let root = files.finish()?;
        let id = checked(&root, id)?;
        let path = self.path.join(id.as_str());
        let io = |source: std::io::Error| InstallError::io(&path, source);
        let replaced = path.symlink_metadata().is_ok();
        match replaced {
            true if !replace => return Err(InstallError::Exists(id)),
            true => {
                let exchanged = renameat_with(CWD, &root, CWD, &path, RenameFlags::EXCHANGE);
                exchanged.map_err(|error| io(error.into()))?;
            }
            false => fs::rename(&root, &path).map_err(io)?,
        }
        sync(&self.path)?;
        Ok(AddedExtension { id, path, replaced })
    }

    /// Removes an extension. What it keeps stays.
    ///
    /// # Errors
    /// There is none of this id, or what the system says.
    pub(super) fn remove(&self, id: &ExtensionId) -> Result<(), InstallError> {
        let path = self.path.join(id.as_str());
        if path.symlink_metadata().is_err() {
            return Err(InstallError::Unknown(id.clone()));
        }
        let gone = self.path.join(GONE);
        fs::rename(&path, &gone).map_err(|error| InstallError::io(&path, error))?;
        sync(&self.path)?;
        remove(&gone)
    }
}

/// The id of the extension in a directory, if it can be used.
fn checked(root: &Path, id: Option<&ExtensionId>) -> Result<ExtensionId, InstallError> {
    if let Ok(text) = fs::read_to_string(root.join(MANIFEST)) {
        let directory = id.map(ExtensionId::as_str);
        let read = Manifest::read(&text, directory).map(|manifest| manifest.id);
        let named = |problem| FileProblem {
            file: MANIFEST.to_owned(),
            problem,
        };
        return read.map_err(|problems| {
            InstallError::NoExtension(problems.into_iter().rev().map(named).collect())
        });
    }
    let reading = PluginReading::of(root, id);
    match reading.plugin {
        Some(plugin) => Ok(plugin.id),
        None => Err(InstallError::NoExtension(reading.problems)),
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

#[cfg(test)]
mod tests;
