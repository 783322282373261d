//! The recorded state of a place.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, readlinkat};
use nix::libc::mode_t;
use nix::sys::stat::{SFlag, fstatat};

use super::files::{file_type, names, open_directory, permissions, read_file};
use super::kept::is_inert;

/// Entries of one snapshot.
const MAX_ENTRIES: usize = 1_000;

/// Content of one snapshot, in bytes. `.git/hooks` and configuration are far below it.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The state of a place, with everything below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PlaceState {
    Absent,
    File {
        mode: mode_t,
        content: Vec<u8>,
    },
    /// The link's target.
    Link(OsString),
    Directory {
        mode: mode_t,
        entries: BTreeMap<OsString, PlaceState>,
    },
    /// A device, a socket, or beyond the budget: neither compared nor restored.
    Ignored,
}

/// The room that is left in one snapshot.
#[derive(Debug)]
pub(super) struct SnapshotBudget {
    entries: usize,
    bytes: u64,
    /// True if something was left out.
    pub(super) is_exceeded: bool,
}

impl SnapshotBudget {
    pub(super) fn new() -> Self {
        Self {
            entries: MAX_ENTRIES,
            bytes: MAX_BYTES,
            is_exceeded: false,
        }
    }

    fn exceed(&mut self) -> PlaceState {
        self.is_exceeded = true;
        PlaceState::Ignored
    }
}

impl PlaceState {
    /// Records the entry `name` of `dir`. An unreadable one counts as beyond the budget.
    pub(super) fn record(dir: BorrowedFd<'_>, name: &OsStr, budget: &mut SnapshotBudget) -> Self {
        match fstatat(dir, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
            Err(Errno::ENOENT | Errno::ENOTDIR) => Self::Absent,
            Err(_) => budget.exceed(),
            Ok(_) if budget.entries == 0 => budget.exceed(),
            Ok(stat) => {
                budget.entries -= 1;
                let recorded = Self::record_type(dir, name, file_type(&stat), budget);
                recorded.unwrap_or_else(|_| budget.exceed())
            }
        }
    }

    fn record_type(
        dir: BorrowedFd<'_>,
        name: &OsStr,
        file_type: SFlag,
        budget: &mut SnapshotBudget,
    ) -> io::Result<Self> {
        Ok(match file_type {
            SFlag::S_IFREG => match read_file(dir, name, budget.bytes)? {
                Some((mode, content)) => {
                    budget.bytes -= content.len() as u64;
                    Self::File { mode, content }
                }
                None => budget.exceed(),
            },
            SFlag::S_IFLNK => Self::Link(readlinkat(dir, name)?),
            SFlag::S_IFDIR => Self::record_directory(dir, name, budget)?,
            _ => Self::Ignored,
        })
    }

    fn record_directory(
        dir: BorrowedFd<'_>,
        name: &OsStr,
        budget: &mut SnapshotBudget,
    ) -> io::Result<Self> {
        let opened = open_directory(dir, name)?;
        let mode = permissions(opened.as_fd())?;
        let mut entries = BTreeMap::new();
        for name in names(opened.as_fd())? {
            if !is_inert(&name) {
                let entry = Self::record(opened.as_fd(), &name, budget);
                entries.insert(name, entry);
            }
        }
        Ok(Self::Directory { mode, entries })
    }
}
