use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use scorel_proto::{SearchStatus, Seq, SessionId};

use crate::limits::BATCH_SESSIONS;

/// How long changes are collected before they are indexed: a turn commits many records in a second.
const COLLECT: Duration = Duration::from_millis(200);

/// The sessions that have to be indexed. The lanes add to it and wait only for its lock, which is never
/// held during disk I/O.
#[derive(Debug, Default)]
pub(crate) struct PendingSessions {
    state: Mutex<PendingState>,
    changed: Condvar,
}

/// The sessions that have changed, each with the last record that is published, if that is known.
pub(crate) type ChangedSessions = BTreeMap<SessionId, Option<Seq>>;

#[derive(Debug, Default)]
struct PendingState {
    changed: ChangedSessions,
    /// Those that are being indexed.
    taken: ChangedSessions,
    /// How many bytes of the logs the last full comparison found unindexed and are still unindexed.
    backlog_bytes: u64,
    /// A query could not use the index.
    suspicion: Option<Suspicion>,
    /// Why the index cannot be written.
    problem: Option<String>,
    has_looked: bool,
    is_stopped: bool,
}

/// What a query found wrong with the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Suspicion {
    /// It may be missing.
    Missing,
    Damaged,
}

/// What the thread of the index does next.
#[derive(Debug)]
pub(crate) struct PendingWork {
    pub(crate) changed: ChangedSessions,
    pub(crate) suspicion: Option<Suspicion>,
}

impl PendingState {
    fn has_work(&self) -> bool {
        self.is_stopped || !self.changed.is_empty() || self.suspicion.is_some()
    }

    /// The taken sessions still have to be indexed.
    fn put_back(&mut self) {
        for (id, published) in std::mem::take(&mut self.taken) {
            self.changed.entry(id).or_insert(published);
        }
    }
}

impl PendingSessions {
    /// Marks a session as changed up to `published`. `None`: its whole log has to be compared.
    pub(crate) fn add(&self, id: SessionId, published: Option<Seq>) {
        let mut state = self.state();
        let has_work = state.has_work();
        let known = state.changed.entry(id).or_default();
        *known = (*known).max(published);
        drop(state);
        // Once is enough, however many records are committed while the thread collects or works.
        if !has_work {
            self.changed.notify_one();
        }
    }

    pub(crate) fn suspect(&self, suspicion: Suspicion) {
        let mut state = self.state();
        state.suspicion = state.suspicion.max(Some(suspicion));
        drop(state);
        self.changed.notify_one();
    }

    /// Takes the changed sessions. Unless `has_more`, waits for a change and then collects further ones
    /// for [`COLLECT`]. `None`: the index is closed.
    pub(crate) fn take(&self, has_more: bool) -> Option<PendingWork> {
        let mut state = self.state();
        if !has_more {
            let idle = |state: &mut PendingState| !state.has_work();
            let woken = self.changed.wait_while(state, idle);
            state = woken.unwrap_or_else(PoisonError::into_inner);
            let go_on = |state: &mut PendingState| !state.is_stopped;
            let collected = self.changed.wait_timeout_while(state, COLLECT, go_on);
            state = collected.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.is_stopped {
            return None;
        }
        let rest = state.changed.keys().nth(BATCH_SESSIONS).copied();
        let rest = rest.map_or_else(BTreeMap::new, |first| state.changed.split_off(&first));
        let changed = std::mem::replace(&mut state.changed, rest);
        state.taken.clone_from(&changed);
        Some(PendingWork {
            changed,
            suspicion: state.suspicion.take(),
        })
    }

    /// The work is done, except for `left`.
    pub(crate) fn done(&self, left: ChangedSessions, backlog_bytes: u64) {
        let mut state = self.state();
        state.taken.clear();
        state.backlog_bytes = backlog_bytes;
        state.has_looked = true;
        state.problem = None;
        for (id, published) in left {
            state.changed.entry(id).or_insert(published);
        }
    }

    /// The work was not done.
    pub(crate) fn failed(&self, problem: String) {
        let mut state = self.state();
        state.put_back();
        state.problem = Some(problem);
    }

    /// The index is rebuilt: queries must not rely on it before all logs were compared.
    pub(crate) fn begin_anew(&self) {
        let mut state = self.state();
        state.put_back();
        state.has_looked = false;
    }

    /// Waits before the next attempt. Returns whether there is one.
    pub(crate) fn pause(&self, duration: Duration) -> bool {
        let go_on = |state: &mut PendingState| !state.is_stopped;
        let waited = self
            .changed
            .wait_timeout_while(self.state(), duration, go_on);
        !waited.unwrap_or_else(PoisonError::into_inner).0.is_stopped
    }

    pub(crate) fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_one();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state().is_stopped
    }

    /// Why the index cannot be written.
    pub(crate) fn problem(&self) -> Option<String> {
        self.state().problem.clone()
    }

    /// How much of the backlog is unread, and the sessions that have changed since; `None` if the logs
    /// were not looked at yet.
    pub(crate) fn behind(&self) -> Option<(u64, Vec<SessionId>)> {
        let state = self.state();
        if !state.has_looked || state.suspicion.is_some() {
            return None;
        }
        let mut sessions: Vec<SessionId> = state.changed.keys().copied().collect();
        sessions.extend(state.taken.keys());
        sessions.sort_unstable();
        sessions.dedup();
        Some((state.backlog_bytes, sessions))
    }

    /// The state of the index, as far as it is known without the disk.
    pub(crate) fn status(&self) -> SearchStatus {
        let behind = self.behind();
        let compared = behind.is_some();
        let (backlog_bytes, sessions) = behind.unwrap_or_default();
        SearchStatus {
            compared,
            backlog_bytes,
            behind_sessions: u32::try_from(sessions.len()).unwrap_or(u32::MAX),
            problem: self.problem(),
        }
    }

    fn state(&self) -> MutexGuard<'_, PendingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
