//! Restoring places to their recorded state.

use std::collections::{BTreeMap, HashMap, HashSet};
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
use super::outcome::RestoreOutcome;
use super::recorded::RecordedPlace;
use super::state::PlaceState;
use super::trail::{LinkOnTrail, Trail, TrailEnd};
use crate::directory_stamp::DirectoryStamp;

/// Directory entries that are looked at after one command.
const MAX_ENTRIES: usize = 50_000;

/// Restored paths that are reported. They become part of the model's context.
const MAX_REPORTED: usize = 100;

/// The repositories that were there before a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownRepositories<'a> {
    /// Git directories, and files and links in place of one.
    pub(super) paths: &'a HashSet<PathBuf>,
    /// Directories that were searched before.
    pub(super) directories: &'a HashMap<PathBuf, Option<DirectoryStamp>>,
    /// Absolute paths that are not searched.
    pub(super) exempt: &'a [PathBuf],
}

/// Restores places and records which were different.
pub(super) struct Restorer<'fd> {
    pub(super) root: BorrowedFd<'fd>,
    pub(super) root_path: &'fd Path,
    pub(super) outcome: RestoreOutcome,
    /// The repositories that were there before.
    pub(super) known: KnownRepositories<'fd>,
    /// Data outside of the root that repositories in it may belong to, or work trees of the data in it.
    outside: Vec<&'fd Path>,
    /// Directory entries that may still be looked at for new repositories.
    pub(super) entries_left: usize,
}

impl<'fd> Restorer<'fd> {
    pub(super) fn new(
        root: BorrowedFd<'fd>,
        root_path: &'fd Path,
        known: KnownRepositories<'fd>,
        outside: Vec<&'fd Path>,
    ) -> Self {
        Self {
            outside,
            root,
            root_path,
            outcome: RestoreOutcome::default(),
            known,
            entries_left: MAX_ENTRIES,
        }
    }

    /// The result; `has_gaps` if there were before.
    pub(super) fn finish(mut self, has_gaps: bool) -> RestoreOutcome {
        self.outcome.restored.sort_unstable();
        self.outcome.has_gaps |= has_gaps;
        self.outcome
    }

    pub(super) fn is_known_outside(&self, path: &Path) -> bool {
        self.outside.iter().any(|it| path.starts_with(it))
    }

    /// Where a path leads now.
    pub(super) fn trail(&self, path: &Path) -> Trail {
        Trail::of(self.root, self.root_path, path)
    }

    pub(super) fn restore(&mut self, before: &RecordedPlace) {
        if before.state == PlaceState::Absent {
            return self.put_away(before);
        }
        for (link, target) in &before.links {
            let link_before = PlaceState::Link(target.clone());
            self.restore_at(link, &before.place.anchor, &link_before);
        }
        self.restore_at(&before.real, &before.place.anchor, &before.state);
    }

    pub(super) fn restore_unless_gone(&mut self, before: &RecordedPlace) {
        if self.trail(&before.place.path).leads_to_something(self.root) {
            self.restore(before);
        }
    }

    /// Moves aside what there is now at a place that was absent: the first new link that leads to it, or
    /// else the place itself. A link that was there before may be a person's, and what it leads to is
    /// not.
    fn put_away(&mut self, before: &RecordedPlace) {
        let anchor = &before.place.anchor;
        let mut trail = self.trail(&before.place.path);
        loop {
            let leads_to_anchor = |(link, _): &LinkOnTrail| {
                !anchor.as_os_str().is_empty() && anchor.starts_with(link)
            };
            let mut new = trail.links.iter().filter(|it| !before.links.contains(it));
            let new = new.next().map(|(link, _)| link.as_path());
            let place = match (&trail.end, new) {
                _ if trail.links.iter().any(leads_to_anchor) => return,
                // Even if nothing is there: what will be, is not seen from here.
                (TrailEnd::Outside(_), Some(link)) => link,
                (TrailEnd::Inside(real), new) if trail.leads_to_something(self.root) => {
                    new.unwrap_or(real)
                }
                _ => return,
            };
            self.restore_at(place, anchor, &PlaceState::Absent);
            let now = self.trail(&before.place.path);
            if now == trail {
                return;
            }
            trail = now;
        }
    }

    /// Restores what is at a path without links.
    pub(super) fn restore_at(&mut self, path: &Path, anchor: &Path, before: &PlaceState) {
        let Some(name) = path.file_name() else {
            return;
        };
        let parent = path.parent().unwrap_or(Path::new(""));
        match self.open_parent(parent, anchor, before) {
            Ok(Some(dir)) => self.restore_entry(dir.as_fd(), name, before, path),
            Ok(None) => {}
            Err(error) => self.fail(path, &error),
        }
    }

    /// Opens the parent directory of a place, and makes it again if needed. `None` if there is
    /// nothing to restore: the work tree is gone, or the place was absent and its directory is, too.
    pub(super) fn open_parent(
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
        let failed = &mut self.outcome.failed;
        if failed.len() < MAX_REPORTED {
            failed.push(format!("{}: {error}", path.to_string_lossy()));
        }
    }

    fn report(&mut self, path: &Path) {
        self.tell(path.to_string_lossy().into_owned());
    }

    /// Reports a path, which may be followed by what happened there.
    pub(super) fn tell(&mut self, path: String) {
        let restored = &mut self.outcome.restored;
        if restored.len() < MAX_REPORTED && !restored.contains(&path) {
            restored.push(path);
        }
    }
}
