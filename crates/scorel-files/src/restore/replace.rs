use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Component;

use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, fchmod, fstat, mkdirat, openat, renameat, renameat_with,
    symlinkat, unlinkat,
};
use rustix::io::Errno;
use scorel_proto::{BlobHash, FileChange, FileMode, FileState, LinkTarget};

use crate::attributes::Attributes;
use crate::content_store::ContentStore;
use crate::project_dir::{Found, ProjectDir, errno, split};

/// The change of one file.
#[derive(Debug)]
pub(super) struct Replacement<'a> {
    pub(super) project: &'a ProjectDir,
    pub(super) store: &'a ContentStore,
    pub(super) change: &'a FileChange,
    /// The name of the new file until it is complete, in the same directory.
    pub(super) temporary: String,
}

/// A replacement whose content is written, or which is made except for the sync of its directory.
#[derive(Debug)]
pub(super) enum Begun {
    Made,
    /// The new file, or nothing for a link, and where it belongs.
    New(Option<File>, OwnedFd, OsString),
}

impl Begun {
    /// The file that is to be synced.
    pub(super) fn file(&self) -> Option<&File> {
        match self {
            Self::New(file, ..) => file.as_ref(),
            Self::Made => None,
        }
    }
}

impl Replacement<'_> {
    /// Begins with the change, unless it was made: a crash may have come before its directory was synced.
    /// One that is `cancelled` is not begun.
    ///
    /// # Errors
    ///
    /// Why not, for people. The file is as it was.
    pub(super) fn begin(&self, cancelled: bool) -> Result<Begun, String> {
        let FileChange {
            path,
            before,
            after,
            ..
        } = self.change;
        self.remove_temporary();
        let now = self.observe()?;
        if now.is(after) {
            if *after == FileState::Absent {
                self.remove_empty();
            }
            return Ok(Begun::Made);
        }
        if cancelled {
            return Err("the restore was cancelled".to_owned());
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

    /// Gives the new file its name, if it is `synced` and nothing has happened to the old one.
    ///
    /// # Errors
    ///
    /// As [`Self::begin`].
    pub(super) fn finish(&self, begun: &Begun, synced: Result<(), Errno>) -> Result<(), String> {
        let Begun::New(_, parent, name) = begun else {
            return Ok(());
        };
        let placed = synced.map_err(in_words).and_then(|()| {
            if !self.observe()?.is(&self.change.before) {
                return Err("another program has changed it".to_owned());
            }
            let temporary = self.temporary.as_str();
            let renamed = match self.change.before {
                FileState::Absent => rename_to_nothing(parent.as_fd(), temporary, name),
                _ => renameat(parent, temporary, parent, name),
            };
            renamed.map_err(in_words)
        });
        placed.inspect_err(|_| {
            // The error that led here is the one to report.
            let _ = unlinkat(parent, self.temporary.as_str(), AtFlags::empty());
        })
    }

    fn observe(&self) -> Result<FileState, String> {
        let max = self.store.limits().max_file_bytes;
        self.project
            .observe(&self.change.path, max)
            .map_err(in_words)
    }

    fn write(&self, sha256: &BlobHash, mode: FileMode) -> Result<Begun, String> {
        let content = self.store.get(sha256);
        let content = content.ok_or("its earlier content is not kept any more")?;
        let (parent, name) = self.make_parent()?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode_until_then = Mode::RUSR | Mode::WUSR;
        let made = openat(&parent, self.temporary.as_str(), flags, mode_until_then);
        let file = File::from(made.map_err(in_words)?);
        let written = (&file).write_all(&content).map_err(|error| errno(&error));
        self.keep_attributes(&file);
        // After the attributes: an access control list has a mode too, and a file that is read-only takes none.
        let written = written.and_then(|()| fchmod(&file, Mode::from_raw_mode(mode.bits())));
        if let Err(error) = written {
            let _ = unlinkat(&parent, self.temporary.as_str(), AtFlags::empty());
            return Err(in_words(error));
        }
        Ok(Begun::New(Some(file), parent, name))
    }

    /// The new file gets the extended attributes of the one that it replaces. Records have none.
    fn keep_attributes(&self, file: &File) {
        let Ok(Found::File(old, _)) = self.project.find(&self.change.path) else {
            return;
        };
        let lost = Attributes::of(old.as_fd()).copy(file.as_fd());
        if !lost.is_empty() {
            let path = &self.change.path;
            tracing::warn!(%path, ?lost, "a restored file could not keep extended attributes");
        }
    }

    fn link(&self, target: &LinkTarget) -> Result<Begun, String> {
        let (parent, name) = self.make_parent()?;
        let target = target.to_bytes();
        let temporary = self.temporary.as_str();
        symlinkat(OsStr::from_bytes(&target), &parent, temporary).map_err(in_words)?;
        Ok(Begun::New(None, parent, name))
    }

    fn delete(&self) -> Result<Begun, String> {
        let (parent, name) = split(&self.change.path);
        let opened = self.project.open_directory(&parent, OFlags::RDONLY);
        let directory = opened.map_err(in_words)?;
        unlinkat(&directory, &name, AtFlags::empty()).map_err(in_words)?;
        self.remove_empty();
        Ok(Begun::Made)
    }

    /// Removes the directories that the file was in if nothing else is in them. As git does: it keeps no empty
    /// directory, and one that is left breaks builds that take every directory for a package.
    fn remove_empty(&self) {
        for directory in split(&self.change.path).0.ancestors() {
            let (Some(parent), Some(name)) = (directory.parent(), directory.file_name()) else {
                return;
            };
            let Ok(parent) = self.project.open_directory(parent, OFlags::RDONLY) else {
                return;
            };
            if unlinkat(&parent, name, AtFlags::REMOVEDIR).is_err() {
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
            let _absent = unlinkat(&parent, self.temporary.as_str(), AtFlags::empty());
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

pub(super) fn in_words(error: Errno) -> String {
    match error {
        Errno::EXIST | Errno::ISDIR | Errno::NOTEMPTY => "a directory has its name".to_owned(),
        Errno::LOOP | Errno::XDEV => "a directory on the way to it is a link".to_owned(),
        Errno::NOTDIR => "a file has the name of a directory on the way to it".to_owned(),
        error => std::io::Error::from(error).to_string(),
    }
}
