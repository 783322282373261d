use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::InstallError;
use super::file_sink::FileSink;

/// Files of a directory, as many as trust covers.
const MAX_FILES: u64 = 5_000;

/// Bytes of all files.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Directories below each other.
const MAX_DEPTH: usize = 16;

/// Bytes of a name.
const MAX_NAME: usize = 255;

/// Files that are written for a directory that does not count yet.
#[derive(Debug)]
pub(super) struct StagedFiles {
    dir: PathBuf,
    files: u64,
    bytes: u64,
}

impl StagedFiles {
    pub(super) fn new(dir: &Path) -> Result<Self, InstallError> {
        make_dir(dir)?;
        Ok(Self {
            dir: dir.to_owned(),
            files: 0,
            bytes: 0,
        })
    }

    /// The directory that has the manifest: this one, or the only one in it, as in archives of a whole repository.
    pub(super) fn finish(self, is_one: fn(&Path) -> bool) -> Result<PathBuf, InstallError> {
        sync_below(&self.dir)?;
        if is_one(&self.dir) {
            return Ok(self.dir);
        }
        let entries =
            fs::read_dir(&self.dir).map_err(|error| InstallError::io(&self.dir, error))?;
        let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        match paths.as_slice() {
            [only] if is_one(only) => Ok(only.clone()),
            _ => Ok(self.dir),
        }
    }

    fn path(&self, name: &str) -> Result<PathBuf, InstallError> {
        let parts: Vec<&str> = name.split('/').collect();
        if parts.len() > MAX_DEPTH {
            return Err(InstallError::refused(name, "is in too many directories"));
        }
        for part in &parts {
            if matches!(*part, "" | "." | "..") || part.contains('\\') {
                return Err(InstallError::refused(name, "leads out of the directory"));
            }
            if part.len() > MAX_NAME || part.contains(|it: char| it.is_control()) {
                return Err(InstallError::refused(name, "is a name that is not written"));
            }
        }
        Ok(parts
            .iter()
            .fold(self.dir.clone(), |path, part| path.join(part)))
    }
}

impl FileSink for StagedFiles {
    /// Writes a file, if it may have this name.
    fn write(
        &mut self,
        name: &str,
        is_executable: bool,
        content: impl Read,
    ) -> Result<(), InstallError> {
        self.files += 1;
        if self.files > MAX_FILES {
            return Err(InstallError::too_much("files", MAX_FILES));
        }
        let path = self.path(name)?;
        let io = |source: io::Error| InstallError::io(&path, source);
        if let Some(parent) = path.parent() {
            make_dir(parent)?;
        }
        let mode = if is_executable { 0o700 } else { 0o600 };
        // Two of one name: a reader would see one of them, a person the other.
        let mut file = match OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&path)
        {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(InstallError::refused(name, "is there twice"));
            }
            Err(error) => return Err(io(error)),
        };
        let left = MAX_BYTES - self.bytes;
        let written = io::copy(&mut content.take(left + 1), &mut file).map_err(io)?;
        if written > left {
            return Err(InstallError::too_much("bytes", MAX_BYTES));
        }
        self.bytes += written;
        file.flush().and_then(|()| file.sync_all()).map_err(io)
    }
}

fn make_dir(path: &Path) -> Result<(), InstallError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| InstallError::io(path, error))
}

/// Makes the names durable, so that a rename never leaves less than all.
fn sync_below(dir: &Path) -> Result<(), InstallError> {
    let entries = fs::read_dir(dir).map_err(|error| InstallError::io(dir, error))?;
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|it| it.is_dir()) {
            sync_below(&entry.path())?;
        }
    }
    sync(dir)
}

/// Makes the names in a directory durable.
pub(super) fn sync(dir: &Path) -> Result<(), InstallError> {
    let synced = File::open(dir).and_then(|dir| dir.sync_all());
    synced.map_err(|error| InstallError::io(dir, error))
}
