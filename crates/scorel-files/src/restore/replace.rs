use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, fchmod, fstat, fsync, mkdirat, openat, renameat,
    renameat_with, symlinkat, unlinkat,
};
use rustix::io::Errno;
use scorel_proto::{BlobHash, FileChange, FileMode, FileState, LinkTarget};

use crate::content_store::ContentStore;
use crate::project_dir::{ProjectDir, errno, split};

/// The change of one file.
#[derive(Debug)]
pub(super) struct Replacement<'a> {
    pub(super) project: &'a ProjectDir,
    pub(super) store: &'a ContentStore,
    pub(super) change: &'a FileChange,
    /// The name of the new file until it is complete, in the same directory.
    pub(super) temporary: &'a str,
}

impl Replacement<'_> {
    /// Makes the change, durably, unless it was made.
    ///
    /// # Errors
    ///
    /// Why not, for people. The file is as it was.
    pub(super) fn make(&self) -> Result<(), String> {
        let FileChange {
            path,
            before,
            after,
            ..
        } = self.change;
        self.remove_temporary();
        let now = self.observe()?;
        if now.is(after) {
            // A crash may have come between the change and the sync of the directory, or before the
            // directories that the change has emptied were removed.
            self.sync_parent()?;
            if *after == FileState::Absent {
                self.remove_empty(&split(path).0);
            }
            return Ok(());
        }
        if !now.is(before) {
            return Err("another program has changed it".to_owned());
        }
        if path.is_git_data() {
            return Err("it belongs to git".to_owned());
        }
        match after {
            FileState::Absent => self.delete(),
            FileState::File { sha256, mode } => self.write(sha256, *mode),
            FileState::Link { link } => self.link(link),
            FileState::Unknown => Err("its earlier state is not known".to_owned()),
        }
    }

    fn observe(&self) -> Result<FileState, String> {
        let max = self.store.limits().max_file_bytes;
        self.project
            .observe(&self.change.path, max)
            .map_err(in_words)
    }

    fn write(&self, sha256: &BlobHash, mode: FileMode) -> Result<(), String> {
        let content = self.store.get(sha256);
        let content = content.ok_or("its earlier content is not kept any more")?;
        let (parent, name) = self.make_parent()?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let made = openat(&parent, self.temporary, flags, Mode::RUSR | Mode::WUSR);
        let file = File::from(made.map_err(in_words)?);
        let written = (&file)
            .write_all(&content)
            .map_err(|error| errno(&error))
            .and_then(|()| fchmod(&file, Mode::from_raw_mode(mode.bits())))
            .and_then(|()| fsync(&file))
            .map_err(in_words);
        self.put_in_place(written, &parent, &name)
    }

    fn link(&self, target: &LinkTarget) -> Result<(), String> {
        let (parent, name) = self.make_parent()?;
        let target = target.to_bytes();
        let made = symlinkat(OsStr::from_bytes(&target), &parent, self.temporary);
        self.put_in_place(made.map_err(in_words), &parent, &name)
    }

    /// Gives the new file its name, if it was `made` and nothing has happened to the old one.
    fn put_in_place(
        &self,
        made: Result<(), String>,
        parent: &OwnedFd,
        name: &OsStr,
    ) -> Result<(), String> {
        let placed = made.and_then(|()| {
            if !self.observe()?.is(&self.change.before) {
                return Err("another program has changed it".to_owned());
            }
            let renamed = match self.change.before {
                FileState::Absent => rename_to_nothing(parent.as_fd(), self.temporary, name),
                _ => renameat(parent, self.temporary, parent, name),
            };
            renamed.map_err(in_words)
        });
        match placed {
            Ok(()) => fsync(parent).map_err(in_words),
            Err(error) => {
                // The error that led here is the one to report.
                let _ = unlinkat(parent, self.temporary, AtFlags::empty());
                Err(error)
            }
        }
    }

    fn delete(&self) -> Result<(), String> {
        let (parent, name) = split(&self.change.path);
        let flags = OFlags::RDONLY;
        let opened = self.project.open_directory(&parent, flags);
        let directory = opened.map_err(in_words)?;
        unlinkat(&directory, &name, AtFlags::empty()).map_err(in_words)?;
        fsync(&directory).map_err(in_words)?;
        self.remove_empty(&parent);
        Ok(())
    }

    /// Removes the directories that the file was in, as far as nothing else is in them. As git does: it
    /// keeps no empty directory, and one that is left breaks builds that take every directory for a
    /// package.
    fn remove_empty(&self, directory: &Path) {
        for directory in directory.ancestors() {
            let (Some(parent), Some(name)) = (directory.parent(), directory.file_name()) else {
                return;
            };
            let Ok(parent) = self.project.open_directory(parent, OFlags::RDONLY) else {
                return;
            };
            if unlinkat(&parent, name, AtFlags::REMOVEDIR).is_err() || fsync(&parent).is_err() {
                return;
            }
        }
    }

    /// Opens the directory of the file and makes it, if it is missing.
    fn make_parent(&self) -> Result<(OwnedFd, OsString), String> {
        let (parent, name) = split(&self.change.path);
        match self.project.open_directory(&parent, OFlags::RDONLY) {
            Ok(directory) => return Ok((directory, name)),
            Err(Errno::NOENT) => {}
            Err(error) => return Err(in_words(error)),
        }
        let root = self.project.directory().as_fd();
        let mut directory = open_inner(root, OsStr::new(".")).map_err(in_words)?;
        for component in parent.components() {
            let Component::Normal(component) = component else {
                return Err(in_words(Errno::INVAL));
            };
            directory = make_directory(&directory, component).map_err(in_words)?;
        }
        Ok((directory, name))
    }

    /// Removes what an interrupted restore has left.
    fn remove_temporary(&self) {
        let (parent, _) = split(&self.change.path);
        if let Ok(parent) = self.project.open_directory(&parent, OFlags::RDONLY) {
            let _absent = unlinkat(&parent, self.temporary, AtFlags::empty());
        }
    }

    fn sync_parent(&self) -> Result<(), String> {
        let (parent, _) = split(&self.change.path);
        match self.project.open_directory(&parent, OFlags::RDONLY) {
            Ok(parent) => fsync(&parent).map_err(in_words),
            // Nothing is left that could come back.
            Err(_) => Ok(()),
        }
    }
}

/// Opens a directory, and makes it with the permissions of the one that it is in.
fn make_directory(parent: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    match mkdirat(parent, name, Mode::RWXU) {
        Ok(()) => {
            let directory = open_inner(parent.as_fd(), name)?;
            let mode = Mode::from_raw_mode(fstat(parent)?.st_mode & 0o2777);
            fchmod(&directory, mode | Mode::RWXU)?;
            fsync(parent)?;
            Ok(directory)
        }
        Err(Errno::EXIST) => open_inner(parent.as_fd(), name),
        Err(error) => Err(error),
    }
}

fn open_inner(parent: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty())
}

fn rename_to_nothing(directory: BorrowedFd<'_>, from: &str, to: &OsStr) -> Result<(), Errno> {
    match renameat_with(directory, from, directory, to, RenameFlags::NOREPLACE) {
        // File systems without it: the check before has to do.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            renameat(directory, from, directory, to)
        }
        renamed => renamed,
    }
}

fn in_words(error: Errno) -> String {
    match error {
        Errno::EXIST | Errno::ISDIR | Errno::NOTEMPTY => "a directory has its name".to_owned(),
        Errno::LOOP | Errno::XDEV => "a directory on the way to it is a link".to_owned(),
        Errno::NOTDIR => "a file has the name of a directory on the way to it".to_owned(),
        error => std::io::Error::from(error).to_string(),
    }
}
