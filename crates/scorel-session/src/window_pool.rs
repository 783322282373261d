//! The context windows of all lanes.
//!
//! In: the records that lanes commit, and windows that they built from their logs. Out: the context
//! of the next model call. The windows are kept in one place and not in their lanes because they
//! share one budget: whichever lane exceeds it, the window that goes is that of another.

use std::collections::HashMap;
use std::time::Duration;

use scorel_proto::{ContextWindow, EventId, PersistentEvent, SessionId};
use tokio::time::Instant;

use crate::locks::Leaf;

/// The bytes that all windows of a daemon may have together, counted as the lengths of the records
/// that they were folded from. In memory a window takes about twice that: its messages, and what the
/// provider has rendered of them.
pub(crate) const WINDOW_BYTES: usize = 128 * 1024 * 1024;

/// How long a window is kept after its session's job has ended: long enough for the next message of
/// a person who reads the answer, short enough that memory follows the sessions in use.
const KEPT_IDLE: Duration = Duration::from_secs(60);

/// In how many sweeps memory is given back after a job has ended or a window has gone. Not in one: both
/// are noted just before the memory is free, and a sweep may come in between.
const GIVE_BACKS: u8 = 2;

/// Windows by session. A window that is missing is built again by the lane, so dropping one costs
/// time and nothing else.
#[derive(Debug)]
pub(crate) struct WindowPool {
    max_bytes: usize,
    windows: Leaf<PooledWindows>,
}

#[derive(Debug, Default)]
struct PooledWindows {
    by_session: HashMap<SessionId, PooledWindow>,
    /// The sum over all windows.
    bytes: usize,
    /// In how many of the next sweeps memory is to be given back.
    give_backs: u8,
}

#[derive(Debug)]
struct PooledWindow {
    window: ContextWindow,
    bytes: usize,
    /// When the session's job ended; `None` while one runs.
    idle_since: Option<Instant>,
}

impl WindowPool {
    pub(crate) fn new(max_bytes: usize) -> Self {
        let windows = PooledWindows {
            // The start has left memory free, and pages of the program mapped that only it needs.
            give_backs: 1,
            ..PooledWindows::default()
        };
        Self {
            max_bytes,
            windows: Leaf::new(windows),
        }
    }

    /// Folds a committed record of `len` bytes into the session's window, if it has one. A record
    /// that leaves the window's path drops the window.
    pub(crate) fn apply(&self, id: SessionId, event: &PersistentEvent, len: usize) {
        let mut windows = self.windows.lock();
        let Some(pooled) = windows.by_session.get_mut(&id) else {
            return;
        };
        let leaf = pooled.window.leaf();
        if pooled.window.apply(event).is_err() {
            windows.remove(id);
        } else if pooled.window.leaf() != leaf {
            pooled.bytes += len;
            windows.bytes += len;
            windows.evict(id, self.max_bytes);
        }
    }

    /// Reads from the session's window, if it is here and ends at `leaf`.
    pub(crate) fn read<R>(
        &self,
        id: SessionId,
        leaf: Option<EventId>,
        read: impl FnOnce(&ContextWindow) -> R,
    ) -> Option<R> {
        let windows = self.windows.lock();
        let pooled = windows.by_session.get(&id)?;
        (pooled.window.leaf() == leaf).then(|| read(&pooled.window))
    }

    /// Keeps the window of a session whose job runs. `bytes` is the length of its records.
    pub(crate) fn insert(&self, id: SessionId, window: ContextWindow, bytes: usize) {
        let mut windows = self.windows.lock();
        windows.remove(id);
        let idle_since = None;
        let pooled = PooledWindow {
            window,
            bytes,
            idle_since,
        };
        windows.by_session.insert(id, pooled);
        windows.bytes += bytes;
        windows.evict(id, self.max_bytes);
    }

    /// The session's job begins: its window stays.
    pub(crate) fn job_begins(&self, id: SessionId) {
        if let Some(pooled) = self.windows.lock().by_session.get_mut(&id) {
            pooled.idle_since = None;
        }
    }

    /// The session's job has ended: its window stays for a while.
    pub(crate) fn job_ends(&self, id: SessionId) {
        let mut windows = self.windows.lock();
        windows.give_backs = GIVE_BACKS;
        if let Some(pooled) = windows.by_session.get_mut(&id) {
            pooled.idle_since = Some(Instant::now());
        }
    }

    /// Returns whether memory is to be given back in this sweep, after a job has ended or a window has gone. When
    /// a job has ended, requests, answers and what its window was built of are free.
    pub(crate) fn take_give_back(&self) -> bool {
        let mut windows = self.windows.lock();
        let is_due = windows.give_backs > 0;
        windows.give_backs = windows.give_backs.saturating_sub(1);
        is_due
    }

    /// Drops the session's window, which may no longer match its log.
    pub(crate) fn remove(&self, id: SessionId) {
        let removed = self.windows.lock().remove(id);
        // Freeing a long conversation takes a while; other lanes need the pool meanwhile.
        drop(removed);
    }

    /// Drops the windows of sessions that have been idle for long enough, and names these sessions.
    pub(crate) fn expire(&self) -> Vec<SessionId> {
        let mut windows = self.windows.lock();
        let expired = |pooled: &PooledWindow| {
            let idle = pooled.idle_since;
            idle.is_some_and(|since| since.elapsed() >= KEPT_IDLE)
        };
        let found = windows
            .by_session
            .iter()
            .filter(|(_, pooled)| expired(pooled));
        let ids: Vec<SessionId> = found.map(|(id, _)| *id).collect();
        let removed: Vec<_> = ids.iter().map(|id| windows.remove(*id)).collect();
        drop(windows);
        drop(removed);
        ids
    }

    /// A copy of the session's window.
    #[cfg(test)]
    pub(crate) fn peek(&self, id: SessionId) -> Option<ContextWindow> {
        let windows = self.windows.lock();
        windows
            .by_session
            .get(&id)
            .map(|pooled| pooled.window.clone())
    }
}

impl PooledWindows {
    fn remove(&mut self, id: SessionId) -> Option<PooledWindow> {
        let removed = self.by_session.remove(&id)?;
        self.bytes -= removed.bytes;
        self.give_backs = GIVE_BACKS;
        Some(removed)
    }

    /// Drops windows until the rest fits: the one that has been idle longest first, then those of
    /// running jobs, that of `newest` last.
    fn evict(&mut self, newest: SessionId, max_bytes: usize) {
        while self.bytes > max_bytes {
            let rank = |(id, pooled): &(&SessionId, &PooledWindow)| {
                (
                    **id == newest,
                    pooled.idle_since.is_none(),
                    pooled.idle_since,
                )
            };
            let first = self.by_session.iter().min_by_key(rank);
            let Some(id) = first.map(|(id, _)| *id) else {
                return;
            };
            self.remove(id);
        }
    }
}

#[cfg(test)]
mod tests;
