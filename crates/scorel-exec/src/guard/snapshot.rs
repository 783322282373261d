//! The state of guarded places before a command.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::copies::directory;
use super::outcome::RestoreOutcome;
use super::place::{Guard, GuardRule, GuardedPlace};
use super::recorded::RecordedPlace;
use super::restore::{KnownRepositories, Restorer};
use super::state::{PlaceState, SnapshotBudget};
use crate::directory_stamp::DirectoryStamp;
use crate::mounts::Mounts;

/// The state of guarded places before a command.
#[derive(Debug)]
pub(crate) struct Snapshot {
    root: OwnedFd,
    root_path: PathBuf,
    places: Vec<Arc<RecordedPlace>>,
    /// Places that a mount covers, while it is there.
    mounted: Vec<Arc<RecordedPlace>>,
    repositories: HashSet<PathBuf>,
    directories: HashMap<PathBuf, Option<DirectoryStamp>>,
    exempt: Vec<PathBuf>,
    has_gaps: bool,
    /// Set if commands that still run had changed something before this one.
    pub(crate) is_shared: bool,
    others: Vec<Snapshot>,
}

impl Snapshot {
    pub(crate) fn take(guard: &Guard) -> io::Result<Self> {
        let root = directory(&guard.root)?;
        let mut budget = SnapshotBudget::new();
        let mut mounted_budget = SnapshotBudget::new();
        let record = |place, budget: &mut SnapshotBudget| {
            Arc::new(RecordedPlace::record(
                root.as_fd(),
                &guard.root,
                place,
                budget,
            ))
        };
        let places = guard.places.iter().map(|it| record(it, &mut budget));
        let mounted = guard.mounted.iter();
        Ok(Self {
            places: places.collect(),
            mounted: mounted.map(|it| record(it, &mut mounted_budget)).collect(),
            root,
            root_path: guard.root.clone(),
            repositories: guard.repositories.iter().cloned().collect(),
            directories: guard.directories.iter().cloned().collect(),
            exempt: guard.exempt.clone(),
            has_gaps: guard.has_gaps || budget.is_exceeded,
            is_shared: false,
            others: guard
                .others
                .iter()
                .map(Self::take)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Takes the state from before commands that still run, where they guard the same places: what they
    /// have changed is not what was there before.
    pub(crate) fn inherit(&mut self, running: &[Arc<Self>]) {
        for before in running.iter().filter(|it| it.root_path == self.root_path) {
            self.is_shared = true;
            // As they were found, the other command may have changed them.
            self.directories.clear();
            let made = self.repositories.difference(&before.repositories);
            let made: Vec<PathBuf> = made.cloned().collect();
            self.repositories.retain(|path| !made.contains(path));
            let is_older = |path: &Path| !made.iter().any(|made| path.starts_with(made));
            self.places.retain(|it| is_older(&it.place.path));
            let all = before.places.iter().chain(&before.mounted);
            let earlier: HashMap<_, _> = all.map(|it| (&it.place.path, it)).collect();
            for recorded in self.places.iter_mut().chain(&mut self.mounted) {
                if let Some(earlier) = earlier.get(&recorded.place.path) {
                    *recorded = Arc::clone(earlier);
                }
            }
        }
    }

    /// Restores the places that have changed. To be called when no process of the command is left.
    /// Without the command's mounts, those places that one covers are left.
    pub(crate) fn restore(&self, mounts: Option<&Mounts>) -> RestoreOutcome {
        self.restore_beside(mounts, None)
    }

    /// The same for data of a repository that has a work tree elsewhere.
    fn restore_beside(&self, mounts: Option<&Mounts>, work_tree: Option<&Path>) -> RestoreOutcome {
        let roots = self.others.iter().map(|other| other.root_path.as_path());
        let mut restorer = self.restorer(roots.chain(work_tree).collect());
        self.restore_places(&mut restorer, mounts, |_| true);
        restorer.disarm_new();
        let mut outcome = restorer.finish(self.has_gaps);
        for other in &self.others {
            let restored = other.restore_beside(mounts, Some(&self.root_path));
            outcome.add(restored.below(&other.root_path));
        }
        outcome
    }

    /// Restores those at the top while the command runs. Those further down are left: it may be about to
    /// remove the directory that they are in.
    pub(crate) fn restore_top(&self, mounts: Option<&Mounts>) -> RestoreOutcome {
        let is_top =
            |it: &GuardedPlace| it.anchor.as_os_str().is_empty() && it.rule != GuardRule::Todo;
        let mut restorer = self.restorer(Vec::new());
        self.restore_places(&mut restorer, mounts, is_top);
        let mut outcome = restorer.finish(self.has_gaps);
        for other in &self.others {
            outcome.add(other.restore_top(mounts).below(&other.root_path));
        }
        outcome
    }

    fn restorer<'a>(&'a self, outside: Vec<&'a Path>) -> Restorer<'a> {
        let known = KnownRepositories {
            paths: &self.repositories,
            directories: &self.directories,
            exempt: &self.exempt,
        };
        Restorer::new(self.root.as_fd(), &self.root_path, known, outside)
    }

    /// Restores some places, and those of which the mount is gone.
    fn restore_places(
        &self,
        restorer: &mut Restorer<'_>,
        mounts: Option<&Mounts>,
        which: impl Fn(&GuardedPlace) -> bool,
    ) {
        let is_bare = |it: &&Arc<RecordedPlace>| {
            let place = self.root_path.join(&it.place.path);
            mounts.is_some_and(|mounts| !mounts.contains(&place))
        };
        let places = self.places.iter().filter(|it| which(&it.place));
        for recorded in places.chain(self.mounted.iter().filter(is_bare)) {
            match recorded.place.rule {
                GuardRule::Unchanged => restorer.restore(recorded),
                GuardRule::Removable => restorer.restore_unless_gone(recorded),
                GuardRule::Settings => restorer.restore_settings(recorded),
                GuardRule::Todo => restorer.tell_commands(recorded),
                GuardRule::NewRepository if recorded.state == PlaceState::Absent => {
                    restorer.disarm_repository(&recorded.place.path);
                }
                GuardRule::NewRepository => {}
            }
        }
    }
}
