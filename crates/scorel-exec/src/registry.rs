//! The commands that run, and the processes that supervise them.

use std::collections::{HashMap, HashSet};
use std::io;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(target_os = "linux")]
use crate::guard::Snapshot;
use crate::run::{RunControl, RunState};

/// The shared state and control of one run.
#[derive(Debug, Clone)]
pub(crate) struct RegisteredRun {
    pub(crate) state: Arc<RunState>,
    pub(crate) control: Arc<RunControl>,
}

/// The commands of this process.
#[derive(Debug, Default)]
pub(crate) struct RunRegistry {
    entries: Mutex<RegistryEntries>,
}

#[derive(Debug, Default)]
struct RegistryEntries {
    is_closed: bool,
    last_id: u64,
    runs: HashMap<u64, RegisteredRun>,
    /// The states in which the running commands found guarded places.
    #[cfg(target_os = "linux")]
    snapshots: HashMap<u64, Arc<Snapshot>>,
    /// Process ids of supervisors that were not waited for yet.
    supervisors: HashSet<i32>,
}

impl RunRegistry {
    /// Adds a run and returns its id; `None` if the registry is closed.
    pub(crate) fn register(&self, run: RegisteredRun) -> Option<u64> {
        let mut entries = self.lock();
        if entries.is_closed {
            return None;
        }
        entries.last_id += 1;
        let id = entries.last_id;
        entries.runs.insert(id, run);
        Some(id)
    }

    pub(crate) fn remove(&self, id: u64) {
        let mut entries = self.lock();
        entries.runs.remove(&id);
        #[cfg(target_os = "linux")]
        entries.snapshots.remove(&id);
    }

    /// Keeps what a command found at guarded places, but for what others have changed that still run.
    #[cfg(target_os = "linux")]
    pub(crate) fn found(&self, id: u64, mut snapshot: Snapshot) -> Arc<Snapshot> {
        let mut entries = self.lock();
        let running: Vec<_> = entries.snapshots.values().cloned().collect();
        snapshot.inherit(&running);
        let snapshot = Arc::new(snapshot);
        entries.snapshots.insert(id, Arc::clone(&snapshot));
        snapshot
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().runs.len()
    }

    /// Refuses new runs and returns those that are left.
    pub(crate) fn close(&self) -> Vec<RegisteredRun> {
        let mut entries = self.lock();
        entries.is_closed = true;
        entries.runs.values().cloned().collect()
    }

    /// Starts a supervisor. The lock is held from `fork` until the process id is known here:
    /// otherwise another run's thread could take the new child for an orphan and kill it.
    pub(crate) fn spawn_supervisor(&self, command: &mut Command) -> io::Result<Child> {
        let mut entries = self.lock();
        let child = command.spawn()?;
        entries.supervisors.insert(process_id(&child));
        Ok(child)
    }

    /// Forgets a supervisor that was waited for: its process id may now be used again.
    pub(crate) fn forget_supervisor(&self, child: &Child) {
        self.lock().supervisors.remove(&process_id(child));
    }

    /// Calls `look` with the process ids of all supervisors, none of which starts or ends meanwhile.
    pub(crate) fn with_supervisors<T>(&self, look: impl FnOnce(&HashSet<i32>) -> T) -> T {
        look(&self.lock().supervisors)
    }

    fn lock(&self) -> MutexGuard<'_, RegistryEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn process_id(child: &Child) -> i32 {
    // The kernel's `pid_t` is this type; std widens it.
    i32::try_from(child.id()).unwrap_or(i32::MAX)
}
