use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use scorel_proto::{SearchStatus, Seq, SessionId};

use crate::limits::BATCH_SESSIONS;

/// The time that changes are collected once they may be indexed: turns of several sessions end in a second.
const COLLECT: Duration = Duration::from_secs(1);

/// The time that changes wait for the end of their turn. Indexing during a turn would take processor time from
/// the answers that stream, and be repeated at each of its records.
const LONGEST: Duration = Duration::from_secs(30);

/// The reason for a change of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// More records of the turn follow.
    InTurn,
    /// Nothing follows.
    Whole,
}

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
    /// The bytes of the logs that the last full comparison found unindexed and that still are.
    backlog_bytes: u64,
    /// A query could not use the index.
    suspicion: Option<Suspicion>,
    /// A change need not wait for the end of its turn.
    is_due: bool,
    /// A query has found the index behind.
    is_wanted: bool,
    /// The reason why the index cannot be written.
    problem: Option<String>,
    has_looked: bool,
    is_stopped: bool,
}

/// A fault of the index that a query found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Suspicion {
    /// It may be missing.
    Missing,
    Damaged,
}

/// The next work for the thread of the index.
#[derive(Debug)]
pub(crate) struct PendingWork {
    pub(crate) changed: ChangedSessions,
    pub(crate) suspicion: Option<Suspicion>,
}

impl PendingState {
    fn has_work(&self) -> bool {
        !self.changed.is_empty() || self.is_urgent()
    }

    fn is_urgent(&self) -> bool {
        self.is_stopped || self.is_wanted || self.suspicion.is_some()
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
    pub(crate) fn add(&self, id: SessionId, published: Option<Seq>, change: Change) {
        let mut state = self.state();
        let had_work = state.has_work();
        let becomes_due = change == Change::Whole && !state.is_due;
        let known = state.changed.entry(id).or_default();
        *known = (*known).max(published);
        state.is_due |= becomes_due;
        drop(state);
        // Once is enough, however many records are committed while the thread collects or works.
        if !had_work || becomes_due {
            self.changed.notify_one();
        }
    }

    /// Has the changes indexed at once, because a query has found the index behind.
    pub(crate) fn want(&self) {
        let mut state = self.state();
        state.is_wanted = !state.changed.is_empty();
        drop(state);
        self.changed.notify_one();
    }

    pub(crate) fn suspect(&self, suspicion: Suspicion) {
        let mut state = self.state();
        state.suspicion = state.suspicion.max(Some(suspicion));
        drop(state);
        self.changed.notify_one();
    }

    /// Takes the changed sessions. Unless `has_more`, waits for a change, then for the end of a turn, and
    /// then collects further ones for [`COLLECT`]. `None`: the index is closed.
    pub(crate) fn take(&self, has_more: bool) -> Option<PendingWork> {
        let mut state = self.state();
        if !has_more {
            let idle = |state: &mut PendingState| !state.has_work();
            let woken = self.changed.wait_while(state, idle);
            state = woken.unwrap_or_else(PoisonError::into_inner);
            state = self.wait(state, LONGEST, |state| !state.is_due && !state.is_urgent());
            state = self.wait(state, COLLECT, |state| !state.is_urgent());
        }
        if state.is_stopped {
            return None;
        }
        (state.is_due, state.is_wanted) = (false, false);
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
        let waited = self.wait(self.state(), duration, |state| !state.is_stopped);
        !waited.is_stopped
    }

    /// Waits while `goes_on`, up to `limit`.
    fn wait<'s>(
        &'s self,
        state: MutexGuard<'s, PendingState>,
        limit: Duration,
        goes_on: impl Fn(&PendingState) -> bool,
    ) -> MutexGuard<'s, PendingState> {
        let waited = self
            .changed
            .wait_timeout_while(state, limit, |state| goes_on(state));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    pub(crate) fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_one();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state().is_stopped
    }

    /// The reason why the index cannot be written.
    pub(crate) fn problem(&self) -> Option<String> {
        self.state().problem.clone()
    }

    /// The part of the backlog that is unread, and the sessions that have changed since; `None` if the logs
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

    /// The state of the index, as known without the disk.
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
