//! What was at a place.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RawMode, fstat, openat, readlinkat, statat,
};
use rustix::io::Errno;

use super::restore::is_kept;

/// How many entries are kept.
const MAX_ENTRIES: usize = 1_000;

/// How much content is kept, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The bits of a mode that say who may do what.
const PERMISSIONS: RawMode = 0o7777;

/// What was at a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Absent,
    File {
        mode: RawMode,
        content: Vec<u8>,
    },
    Link(CString),
    Directory {
        mode: RawMode,
        entries: BTreeMap<OsString, Entry>,
    },
    /// Something that is not compared.
    Other,
}

/// How much may still be kept.
#[derive(Debug)]
pub(super) struct Budget {
    entries: usize,
    bytes: u64,
    /// Whether something was left out.
    pub(super) is_exceeded: bool,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            entries: MAX_ENTRIES,
            bytes: MAX_BYTES,
            is_exceeded: false,
        }
    }

    fn exceed(&mut self) -> Entry {
        self.is_exceeded = true;
        Entry::Other
    }
}

impl Entry {
    /// What is at `name` now.
    pub(super) fn capture(dir: BorrowedFd<'_>, name: &OsStr, budget: &mut Budget) -> Self {
        match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT | Errno::NOTDIR) => Self::Absent,
            Err(_) => budget.exceed(),
            Ok(_) if budget.entries == 0 => budget.exceed(),
            Ok(stat) => {
                budget.entries -= 1;
                let kind = FileType::from_raw_mode(stat.st_mode);
                let captured = Self::capture_kind(dir, name, kind, budget);
                captured.unwrap_or_else(|_| budget.exceed())
            }
        }
    }

    fn capture_kind(
        dir: BorrowedFd<'_>,
        name: &OsStr,
        kind: FileType,
        budget: &mut Budget,
    ) -> io::Result<Self> {
        Ok(match kind {
            FileType::RegularFile => match read_file(dir, name, budget.bytes)? {
                Some((mode, content)) => {
                    budget.bytes -= content.len() as u64;
                    Self::File { mode, content }
                }
                None => budget.exceed(),
            },
            FileType::Symlink => Self::Link(readlinkat(dir, name, Vec::new())?),
            FileType::Directory => {
                let opened = open_directory(dir, name)?;
                let mode = fstat(&opened)?.st_mode & PERMISSIONS;
                let mut entries = BTreeMap::new();
                for name in names(opened.as_fd())? {
                    if !is_inert(&name) {
                        let entry = Self::capture(opened.as_fd(), &name, budget);
                        entries.insert(name, entry);
                    }
                }
                Self::Directory { mode, entries }
            }
            _ => Self::Other,
        })
    }
}

/// Whether nothing looks for a file of this name: git's samples, and what was kept.
pub(super) fn is_inert(name: &OsStr) -> bool {
    name.as_bytes().ends_with(b".sample") || is_kept(name)
}

/// The permissions and content of a regular file, if it has at most `limit` bytes.
pub(super) fn read_file(
    dir: BorrowedFd<'_>,
    name: &OsStr,
    limit: u64,
) -> io::Result<Option<(RawMode, Vec<u8>)>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = openat(dir, name, flags, Mode::empty())?;
    let stat = fstat(&opened)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    let mut content = Vec::new();
    File::from(opened)
        .take(limit.saturating_add(1))
        .read_to_end(&mut content)?;
    let fits = content.len() as u64 <= limit;
    Ok(fits.then_some((stat.st_mode & PERMISSIONS, content)))
}

/// Opens a directory that is not behind a link.
pub(super) fn open_directory(dir: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(dir, name, flags, Mode::empty())
}

/// The names in a directory.
pub(super) fn names(dir: BorrowedFd<'_>) -> rustix::io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push(OsStr::from_bytes(name).to_owned());
        }
    }
    Ok(names)
}
