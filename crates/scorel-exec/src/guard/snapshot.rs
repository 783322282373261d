//! The state of guarded places before a command.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;

use super::files::open_directory;
use super::place::{Guard, GuardRule, GuardedPlace};
use super::restore::Restorer;
use super::state::{PlaceState, SnapshotBudget};

/// The state of guarded places before a command.
#[derive(Debug)]
pub(crate) struct Snapshot {
    root: OwnedFd,
    places: Vec<(GuardedPlace, PlaceState)>,
    has_gaps: bool,
    /// By the path of their root.
    others: Vec<(PathBuf, Snapshot)>,
}

/// The result of restoring a snapshot.
#[derive(Debug, Default)]
pub(crate) struct RestoreOutcome {
    /// Paths that were different: relative to [`Guard::root`], absolute in [`Guard::others`].
    pub(crate) restored: Vec<String>,
    /// Whether changes may have stayed because a place was beyond the limits.
    pub(crate) has_gaps: bool,
    /// What could not be restored, with the reasons.
    pub(crate) failed: Vec<String>,
}

impl Snapshot {
    pub(crate) fn take(guard: &Guard) -> io::Result<Self> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let root = open(&guard.root, flags, Mode::empty())?;
        let mut budget = SnapshotBudget::new();
        let mut places = Vec::with_capacity(guard.places.len());
        for place in &guard.places {
            let state = record(&root, &place.path, &mut budget)?;
            places.push((place.clone(), state));
        }
        let others = guard.others.iter().map(|other| {
            let snapshot = Self::take(other)?;
            Ok((other.root.clone(), snapshot))
        });
        Ok(Self {
            root,
            places,
            has_gaps: guard.has_gaps || budget.is_exceeded,
            others: others.collect::<io::Result<_>>()?,
        })
    }

    /// Restores the places that have changed. To be called when no process of the command is left.
    pub(crate) fn restore(&self) -> RestoreOutcome {
        let mut restorer = Restorer::new(self.root.as_fd());
        for (place, before) in &self.places {
            match place.rule {
                GuardRule::Unchanged => restorer.restore(place, before),
                GuardRule::NewRepository if *before == PlaceState::Absent => {
                    restorer.disarm_repository(&place.path);
                }
                GuardRule::NewRepository => {}
            }
        }
        let (mut restored, failed) = restorer.finish();
        restored.sort_unstable();
        let mut outcome = RestoreOutcome {
            restored,
            has_gaps: self.has_gaps,
            failed,
        };
        for (root, other) in &self.others {
            let inner = other.restore();
            let absolute = |path: &String| root.join(path).to_string_lossy().into_owned();
            outcome.restored.extend(inner.restored.iter().map(absolute));
            outcome.has_gaps |= inner.has_gaps;
            outcome.failed.extend(inner.failed);
        }
        outcome
    }
}

/// Records the place at `path` below `root`. One behind a link counts as absent.
fn record(root: &OwnedFd, path: &Path, budget: &mut SnapshotBudget) -> io::Result<PlaceState> {
    let mut opened = None;
    let mut names: Vec<&OsStr> = path.iter().collect();
    let Some(last) = names.pop() else {
        return Err(io::Error::other("the path of a guarded place is empty"));
    };
    for name in names {
        match open_directory(opened.as_ref().unwrap_or(root).as_fd(), name) {
            Ok(inner) => opened = Some(inner),
            Err(_) => return Ok(PlaceState::Absent),
        }
    }
    let dir = opened.as_ref().unwrap_or(root).as_fd();
    Ok(PlaceState::record(dir, last, budget))
}
