//! Restoring places to their recorded state.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::libc::mode_t;
use nix::sys::stat::SFlag;

use super::files::{
    entry_type, make_directory, names, open_directory, put_file, put_link, put_permissions, remove,
};
use super::kept::is_inert;
use super::place::GuardedPlace;
use super::state::PlaceState;

/// Restored paths that are reported. They become part of the model's context.
const MAX_REPORTED: usize = 100;

/// Restores places and records which were different.
pub(super) struct Restorer<'fd> {
    root: BorrowedFd<'fd>,
    restored: Vec<String>,
    /// What could not be restored, with the reasons.
    failed: Vec<String>,
}

impl<'fd> Restorer<'fd> {
    pub(super) fn new(root: BorrowedFd<'fd>) -> Self {
        Self {
            root,
            restored: Vec::new(),
            failed: Vec::new(),
        }
    }

    pub(super) fn root(&self) -> BorrowedFd<'fd> {
        self.root
    }

    /// The restored paths, and those that could not be, with the reasons.
    pub(super) fn finish(self) -> (Vec<String>, Vec<String>) {
        (self.restored, self.failed)
    }

    pub(super) fn restore(&mut self, place: &GuardedPlace, before: &PlaceState) {
        let Some(name) = place.path.file_name() else {
            return;
        };
        let parent = place.path.parent().unwrap_or(Path::new(""));
        match self.open_parent(parent, &place.anchor, before) {
            Ok(Some(dir)) => self.restore_entry(dir.as_fd(), name, before, &place.path),
            Ok(None) => {}
            Err(error) => self.fail(&place.path, &error),
        }
    }

    /// Opens the parent directory of a place, and makes it again if needed. `None` if there is
    /// nothing to restore: the work tree is gone, or the place was absent and its directory is, too.
    fn open_parent(
        &mut self,
        parent: &Path,
        anchor: &Path,
        before: &PlaceState,
    ) -> io::Result<Option<OwnedFd>> {
        let mut dir = self.root.try_clone_to_owned()?;
        let mut path = PathBuf::new();
        for name in parent {
            let is_in_anchor = path.as_path() != anchor && anchor.starts_with(&path);
            path.push(name);
            dir = match open_directory(dir.as_fd(), name) {
                Ok(opened) => opened,
                Err(Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP)
                    if is_in_anchor || *before == PlaceState::Absent =>
                {
                    return Ok(None);
                }
                Err(_) => {
                    self.report(&path);
                    make_directory(dir.as_fd(), name, 0o755)?
                }
            };
        }
        Ok(Some(dir))
    }

    fn restore_entry(
        &mut self,
        dir: BorrowedFd<'_>,
        name: &OsStr,
        before: &PlaceState,
        path: &Path,
    ) {
        let changed = match before {
            PlaceState::Ignored => Ok(false),
            PlaceState::Absent => remove(dir, name),
            PlaceState::File { mode, content } => put_file(dir, name, *mode, content),
            PlaceState::Link(target) => put_link(dir, name, target),
            PlaceState::Directory { mode, entries } => {
                self.restore_directory(dir, name, *mode, entries, path)
            }
        };
        self.note(&changed, path);
    }

    fn restore_directory(
        &mut self,
        dir: BorrowedFd<'_>,
        name: &OsStr,
        mode: mode_t,
        entries: &BTreeMap<OsString, PlaceState>,
        path: &Path,
    ) -> io::Result<bool> {
        let exists = entry_type(dir, name)? == Some(SFlag::S_IFDIR);
        let changed = exists && put_permissions(dir, name, mode)?;
        let opened = if exists {
            open_directory(dir, name)?
        } else {
            make_directory(dir, name, mode)?
        };
        for (name, entry) in entries {
            self.restore_entry(opened.as_fd(), name, entry, &path.join(name));
        }
        for name in names(opened.as_fd())? {
            if !entries.contains_key(&name) && !is_inert(&name) {
                let path = path.join(&name);
                self.restore_entry(opened.as_fd(), &name, &PlaceState::Absent, &path);
            }
        }
        Ok(!exists || changed)
    }

    /// Takes the outcome of one change: whether there was anything to restore at `path`.
    pub(super) fn note(&mut self, changed: &io::Result<bool>, path: &Path) {
        match changed {
            Ok(true) => self.report(path),
            Ok(false) => {}
            Err(error) => self.fail(path, error),
        }
    }

    fn fail(&mut self, path: &Path, error: &io::Error) {
        if self.failed.len() < MAX_REPORTED {
            self.failed
                .push(format!("{}: {error}", path.to_string_lossy()));
        }
    }

    fn report(&mut self, path: &Path) {
        let path = path.to_string_lossy().into_owned();
        if self.restored.len() < MAX_REPORTED && !self.restored.contains(&path) {
            self.restored.push(path);
        }
    }
}
