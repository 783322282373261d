//! Putting places back as they were.
//!
//! Nothing here follows a link: the way to a place goes from directory to directory, each opened in
//! the one before.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawMode, RenameFlags, chmodat, fchmod, mkdirat, openat,
    readlinkat, renameat, renameat_with, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::GuardedPlace;
use super::entry::{Entry, is_inert, names, open_directory, read_file};

/// What follows the name of what was replaced.
const KEPT: &str = ".scorel-put-back";

/// How many are kept of one name.
const MAX_KEPT: u32 = 20;

/// How many places are told of.
const MAX_TOLD: usize = 100;

/// Puts places back as they were, and remembers which.
pub(super) struct Restorer<'fd> {
    root: BorrowedFd<'fd>,
    restored: Vec<String>,
    has_failed: bool,
}

/// Whether the name is one of what was replaced.
pub(super) fn is_kept(name: &OsStr) -> bool {
    name.to_string_lossy().contains(KEPT)
}

impl<'fd> Restorer<'fd> {
    pub(super) fn new(root: BorrowedFd<'fd>) -> Self {
        Self {
            root,
            restored: Vec::new(),
            has_failed: false,
        }
    }

    /// The directory that everything is below.
    pub(super) fn root(&self) -> BorrowedFd<'fd> {
        self.root
    }

    /// What was put back, and whether something could not be.
    pub(super) fn finish(self) -> (Vec<String>, bool) {
        (self.restored, self.has_failed)
    }

    /// Puts a place back.
    pub(super) fn place(&mut self, place: &GuardedPlace, before: &Entry) {
        let Some(name) = place.path.file_name() else {
            return;
        };
        let parent = place.path.parent().unwrap_or(Path::new(""));
        match self.parent(parent, &place.anchor, before) {
            Ok(Some(dir)) => self.entry(dir.as_fd(), name, before, &place.path),
            Ok(None) => {}
            Err(_) => self.has_failed = true,
        }
    }

    /// Opens the directory of a place. Makes it if it is needed.
    fn parent(
        &mut self,
        parent: &Path,
        anchor: &Path,
        before: &Entry,
    ) -> io::Result<Option<OwnedFd>> {
        let mut dir = self.root.try_clone_to_owned()?;
        let mut path = PathBuf::new();
        for name in parent {
            let is_in_anchor = path.as_path() != anchor && anchor.starts_with(&path);
            path.push(name);
            dir = match open_directory(dir.as_fd(), name) {
                Ok(opened) => opened,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
                    if is_in_anchor || *before == Entry::Absent =>
                {
                    return Ok(None);
                }
                Err(_) => {
                    self.told(&path);
                    make_directory(dir.as_fd(), name, 0o755)?
                }
            };
        }
        Ok(Some(dir))
    }

    /// Puts back what was at `name`.
    pub(super) fn entry(&mut self, dir: BorrowedFd<'_>, name: &OsStr, before: &Entry, path: &Path) {
        let done = match before {
            Entry::Other => Ok(false),
            Entry::Absent => remove(dir, name),
            Entry::File { mode, content } => put_file(dir, name, *mode, content),
            Entry::Link(target) => put_link(dir, name, target),
            Entry::Directory { mode, entries } => self.directory(dir, name, *mode, entries, path),
        };
        self.note(&done, path);
    }

    pub(super) fn note(&mut self, done: &io::Result<bool>, path: &Path) {
        match done {
            Ok(true) => self.told(path),
            Ok(false) => {}
            Err(_) => self.has_failed = true,
        }
    }

    fn told(&mut self, path: &Path) {
        let path = path.to_string_lossy().into_owned();
        if self.restored.len() < MAX_TOLD && !self.restored.contains(&path) {
            self.restored.push(path);
        }
    }

    fn directory(
        &mut self,
        dir: BorrowedFd<'_>,
        name: &OsStr,
        mode: RawMode,
        entries: &BTreeMap<OsString, Entry>,
        path: &Path,
    ) -> io::Result<bool> {
        let is_there = kind(dir, name)? == Some(FileType::Directory);
        let changed = is_there && put_mode(dir, name, mode)?;
        let opened = if is_there {
            open_directory(dir, name)?
        } else {
            make_directory(dir, name, mode)?
        };
        for (name, entry) in entries {
            self.entry(opened.as_fd(), name, entry, &path.join(name));
        }
        for name in names(opened.as_fd())? {
            if !entries.contains_key(&name) && !is_inert(&name) {
                self.entry(opened.as_fd(), &name, &Entry::Absent, &path.join(&name));
            }
        }
        Ok(!is_there || changed)
    }
}

/// What kind of thing is at `name`, if anything is.
pub(super) fn kind(dir: BorrowedFd<'_>, name: &OsStr) -> io::Result<Option<FileType>> {
    match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Takes away what is at `name`. Says whether there was anything.
pub(super) fn remove(dir: BorrowedFd<'_>, name: &OsStr) -> io::Result<bool> {
    let is_there = kind(dir, name)?.is_some();
    if is_there {
        keep(dir, name, name)?;
    }
    Ok(is_there)
}

/// Makes the file at `name` one with this content. Says whether it was not.
pub(super) fn put_file(
    dir: BorrowedFd<'_>,
    name: &OsStr,
    mode: RawMode,
    content: &[u8],
) -> io::Result<bool> {
    if kind(dir, name)? == Some(FileType::RegularFile) {
        // Nobody may be able to read it now.
        let mode_changed = put_mode(dir, name, mode)?;
        let now = read_file(dir, name, content.len() as u64)?;
        if now.is_some_and(|(_, now)| now == content) {
            return Ok(mode_changed);
        }
    }
    let temporary = temporary(name);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = with_room(dir, &temporary, || {
        openat(dir, &temporary, flags, Mode::from_raw_mode(0o600))
    })?;
    let mut file = File::from(opened);
    file.write_all(content)?;
    fchmod(&file, Mode::from_raw_mode(mode))?;
    file.sync_all()?;
    exchange(dir, &temporary, name)?;
    Ok(true)
}

fn put_link(dir: BorrowedFd<'_>, name: &OsStr, target: &CStr) -> io::Result<bool> {
    if readlinkat(dir, name, Vec::new()).is_ok_and(|now| *now == *target) {
        return Ok(false);
    }
    let temporary = temporary(name);
    with_room(dir, &temporary, || symlinkat(target, dir, &temporary))?;
    exchange(dir, &temporary, name)?;
    Ok(true)
}

/// Makes the permissions of what is at `name`, no link, these. Says whether they were not.
fn put_mode(dir: BorrowedFd<'_>, name: &OsStr, mode: RawMode) -> io::Result<bool> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(dir, name, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&opened)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink || stat.st_mode & 0o7777 == mode {
        return Ok(false);
    }
    // Such a handle has no other way to it.
    let path = format!("/proc/self/fd/{}", opened.as_raw_fd());
    chmodat(CWD, path, Mode::from_raw_mode(mode), AtFlags::empty())?;
    Ok(true)
}

/// Makes a directory where there is none that can be opened.
fn make_directory(dir: BorrowedFd<'_>, name: &OsStr, mode: RawMode) -> io::Result<OwnedFd> {
    if kind(dir, name)? == Some(FileType::Directory) {
        put_mode(dir, name, mode)?;
    } else {
        remove(dir, name)?;
        mkdirat(dir, name, Mode::from_raw_mode(mode))?;
        // The process's own mask may have taken something away.
        put_mode(dir, name, mode)?;
    }
    Ok(open_directory(dir, name)?)
}

/// Puts what is at `temporary` in the place of `name`, and keeps what was there.
fn exchange(dir: BorrowedFd<'_>, temporary: &OsStr, name: &OsStr) -> io::Result<()> {
    match renameat_with(dir, temporary, dir, name, RenameFlags::EXCHANGE) {
        Ok(()) => keep(dir, temporary, name),
        Err(Errno::NOENT) => Ok(renameat(dir, temporary, dir, name)?),
        // Not every file system can do that.
        Err(_) => {
            remove(dir, name)?;
            Ok(renameat(dir, temporary, dir, name)?)
        }
    }
}

/// Gives what is at `from` the first free name for what `name` was.
fn keep(dir: BorrowedFd<'_>, from: &OsStr, name: &OsStr) -> io::Result<()> {
    for n in 0..MAX_KEPT {
        match renameat_with(dir, from, dir, kept(name, n), RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => {}
            Err(Errno::INVAL) => break,
            other => return Ok(other?),
        }
    }
    Ok(renameat(dir, from, dir, kept(name, MAX_KEPT))?)
}

fn kept(name: &OsStr, n: u32) -> OsString {
    let suffix = if n == 0 {
        KEPT.to_owned()
    } else {
        format!("{KEPT}-{n}")
    };
    with_suffix(name, &suffix)
}

fn temporary(name: &OsStr) -> OsString {
    with_suffix(name, &format!("{KEPT}-new-{}", std::process::id()))
}

/// The name with something after it, and not too long for a file system.
fn with_suffix(name: &OsStr, suffix: &str) -> OsString {
    const LONGEST: usize = 255;
    let mut bytes = name.as_bytes().to_vec();
    bytes.truncate(LONGEST - suffix.len());
    bytes.extend_from_slice(suffix.as_bytes());
    OsString::from_vec(bytes)
}

/// Makes something new at `name`, where the command may have left something.
fn with_room<T>(
    dir: BorrowedFd<'_>,
    name: &OsStr,
    make: impl Fn() -> rustix::io::Result<T>,
) -> io::Result<T> {
    match make() {
        Err(Errno::EXIST) => {
            if unlinkat(dir, name, AtFlags::empty()).is_err() {
                unlinkat(dir, name, AtFlags::REMOVEDIR)?;
            }
            Ok(make()?)
        }
        other => Ok(other?),
    }
}
