//! Keeping protected files as they are while a command runs and after it.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::copies::{MadeCopy, SettingsCopies};
use super::outcome::RestoreOutcome;
use super::place::Guard;
use super::snapshot::Snapshot;
use crate::mounts::MountTable;

/// The interval in which places are looked at while a command runs. By time and not by notifications: the
/// supervisor wakes as often to measure, the places are few, and no limit of the kernel's on watches
/// can leave one out.
const INTERVAL: Duration = Duration::from_millis(200);

/// The supervisor's guard of one command.
#[derive(Debug, Default)]
pub(crate) struct GuardKeeper {
    root: Option<PathBuf>,
    copies: SettingsCopies,
    snapshot: Option<Snapshot>,
    /// The places that were restored while the command runs.
    so_far: RestoreOutcome,
    /// That of the command.
    mounts: Option<MountTable>,
    /// `None` before the command has started.
    pub(crate) next: Option<Instant>,
}

impl GuardKeeper {
    /// Opens the copies that the mounts of the command lead to.
    pub(crate) fn new(made: Vec<MadeCopy>) -> io::Result<Self> {
        Ok(Self {
            copies: SettingsCopies::open(made)?,
            ..Self::default()
        })
    }

    /// Records the guarded places.
    pub(crate) fn record(&mut self, guard: Option<&Guard>) -> io::Result<()> {
        self.root = guard.map(|guard| guard.root.clone());
        self.snapshot = guard.map(Snapshot::take).transpose()?;
        Ok(())
    }

    /// The command starts, from a process that has its mounts.
    pub(crate) fn start(&mut self, process: Option<i32>) {
        self.mounts = process.and_then(MountTable::of);
        self.next = self.snapshot.is_some().then(|| Instant::now() + INTERVAL);
    }

    /// Restores places while the command runs, if it is time. Returns those that were restored.
    pub(crate) fn look(&mut self) -> Vec<String> {
        let is_due = self.next.is_some_and(|next| Instant::now() >= next);
        let Some(snapshot) = self.snapshot.as_ref().filter(|_| is_due) else {
            return Vec::new();
        };
        let mounts = self.mounts.as_ref().and_then(MountTable::read);
        let found = snapshot.restore_top(mounts.as_ref());
        let restored = found.restored.clone();
        // Failures are those of the moment; the last look reports what cannot be restored.
        self.so_far.add(RestoreOutcome {
            failed: Vec::new(),
            ..found
        });
        self.next = Some(Instant::now() + INTERVAL);
        restored
    }

    /// Restores everything, when no process of the command is left. A command that never started has
    /// changed nothing, so changes seen since are not its own. `None` if nothing was guarded.
    pub(crate) fn finish(&mut self) -> Option<RestoreOutcome> {
        let snapshot = self.snapshot.take()?;
        if self.next.is_none() {
            return Some(RestoreOutcome::default());
        }
        let mut outcome = std::mem::take(&mut self.so_far);
        let mounts = self.mounts.as_ref().and_then(MountTable::read);
        outcome.add(snapshot.restore(mounts.as_ref()));
        self.copies.take_over(self.root.as_deref(), &mut outcome);
        // Those below the root first.
        outcome
            .restored
            .sort_by_cached_key(|it| (it.starts_with('/'), it.clone()));
        Some(outcome)
    }
}
