//! Deleted sessions, which can be brought back for a while.
//!
//! A session in the trash is its directory under another name, `trash/<sessionId>.<deletedAt>`. So
//! deleting it and bringing it back are one rename each, and no other file has to agree with that.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use scorel_journal::{Storage, if_present};
use scorel_proto::{ListSessionsResult, Session, SessionDeletion, SessionId, UnreadableSession};
use tokio::time::Instant;

use crate::catalog::{ListFilter, SortKey, summarise};
use crate::clock::{millis, unix_ms};
use crate::{SessionError, WallClock};

/// The prefix of what leaves the trash for good, until its files are removed.
const GONE_PREFIX: &str = ".gone-";

/// The uptime from which the wall clock alone decides: a day.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The directory `trash` of the home.
#[derive(Debug)]
pub(crate) struct Trash {
    storage: Arc<dyn Storage>,
    dir: PathBuf,
    keep: Duration,
    clock: WallClock,
    started: Instant,
    /// When the last daemon wrote beside the trash, by the file system, in milliseconds since 1970.
    last_written: u64,
    /// Held while a session leaves the trash: it is brought back or removed, not both.
    leaving: Mutex<()>,
}

/// A deleted session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrashedSession {
    pub(crate) id: SessionId,
    /// Milliseconds since 1970.
    pub(crate) deleted_at: u64,
    pub(crate) dir: PathBuf,
}

impl TrashedSession {
    fn parse(dir: &Path, name: &str) -> Option<Self> {
        let (id, deleted_at) = name.split_once('.')?;
        Some(Self {
            id: id.parse().ok()?,
            deleted_at: deleted_at.parse().ok()?,
            dir: dir.join(name),
        })
    }
}

/// The sessions in the trash at `dir`, unordered. A missing directory is empty.
pub(crate) fn trashed_sessions(
    storage: &dyn Storage,
    dir: &Path,
) -> io::Result<Vec<TrashedSession>> {
    let names = if_present(storage.list(dir))?.unwrap_or_default();
    let parsed = names
        .iter()
        .filter_map(|name| TrashedSession::parse(dir, name));
    Ok(parsed.collect())
}

impl Trash {
    /// The trash at `dir`, which need not exist. A session is kept for `keep`.
    pub(crate) fn new(
        storage: Arc<dyn Storage>,
        dir: PathBuf,
        keep: Duration,
        clock: WallClock,
    ) -> Self {
        let beside = [&dir, &dir.with_file_name("index")];
        let written = beside.map(|path| fs::metadata(path).and_then(|it| it.modified()).ok());
        let last_written = written.into_iter().flatten().max().map_or(0, unix_ms);
        Self {
            storage,
            dir,
            keep,
            clock,
            started: Instant::now(),
            last_written,
            leaving: Mutex::default(),
        }
    }

    /// Returns whether deleted sessions are kept at all.
    pub(crate) const fn keeps(&self) -> bool {
        !self.keep.is_zero()
    }

    /// Moves the directory of a session into the trash, which deletes the session.
    pub(crate) fn put(&self, id: SessionId, session: &Path) -> io::Result<()> {
        self.storage.create_dir(&self.dir)?;
        let name = format!("{id}.{}", self.clock.now_ms());
        self.storage.rename(session, &self.dir.join(name))?;
        self.sync(session);
        Ok(())
    }

    /// Moves a session back to `session`.
    pub(crate) fn take_out(&self, id: SessionId, session: &Path) -> Result<(), SessionError> {
        let _leaving = self.leaving();
        if fs::symlink_metadata(session).is_ok() {
            let text = format!("session {id} is not deleted");
            return Err(SessionError::Conflict(text));
        }
        let trashed = self.find(id)?;
        if self.is_expired(&trashed) {
            return Err(SessionError::Expired {
                session_id: id,
                deleted_at: trashed.deleted_at,
            });
        }
        let moved = self.storage.rename(&trashed.dir, session);
        moved.map_err(|error| SessionError::moving("bring back", &error))?;
        self.sync(session);
        Ok(())
    }

    /// Removes a session for good. What it has cost must have been counted.
    pub(crate) fn remove(&self, id: SessionId) -> Result<(), SessionError> {
        let leaving = self.leaving();
        let trashed = self.find(id)?;
        let gone = self.put_aside(&trashed)?;
        drop(leaving);
        remove_files(&gone);
        Ok(())
    }

    /// The sessions whose time is over.
    pub(crate) fn expired(&self) -> io::Result<Vec<TrashedSession>> {
        let mut trashed = trashed_sessions(&*self.storage, &self.dir)?;
        trashed.retain(|trashed| self.is_expired(trashed));
        Ok(trashed)
    }

    /// Removes the files that a removal left which a crash interrupted.
    pub(crate) fn remove_left_overs(&self) {
        let _leaving = self.leaving();
        let names = self.storage.list(&self.dir).unwrap_or_default();
        for name in names.iter().filter(|name| name.starts_with(GONE_PREFIX)) {
            remove_files(&self.dir.join(name));
        }
    }

    /// One page of the sessions that match a filter, the last deleted first.
    pub(crate) fn list(&self, filter: &ListFilter) -> Result<ListSessionsResult, SessionError> {
        let before = filter.before()?;
        let mut trashed = self.all()?;
        trashed.retain(|trashed| {
            let key = SortKey::new(trashed.deleted_at, trashed.id);
            !self.is_expired(trashed) && before.is_none_or(|before| key < before)
        });
        trashed.sort_unstable_by_key(|it| std::cmp::Reverse((it.deleted_at, it.id)));
        let mut page = ListSessionsResult::default();
        let mut last = None;
        for trashed in trashed {
            let found = summarise(&*self.storage, &trashed.dir, trashed.id);
            if found
                .as_ref()
                .is_ok_and(|session| !filter.concerns(session))
            {
                continue;
            }
            if page.sessions.len() + page.unreadable.len() == filter.limit {
                page.next_cursor = last.map(SortKey::cursor);
                break;
            }
            last = Some(SortKey::new(trashed.deleted_at, trashed.id));
            match found {
                Ok(session) => page
                    .sessions
                    .push(self.describe(session, trashed.deleted_at)),
                Err(problem) => page.unreadable.push(UnreadableSession {
                    session_id: trashed.id,
                    problem,
                }),
            }
        }
        Ok(page)
    }

    fn describe(&self, session: Session, deleted_at: u64) -> Session {
        let deletion = SessionDeletion {
            at: deleted_at,
            until: deleted_at.saturating_add(millis(self.keep)),
        };
        Session {
            deleted: Some(deletion),
            ..session
        }
    }

    fn find(&self, id: SessionId) -> Result<TrashedSession, SessionError> {
        let all = self.all()?.into_iter().filter(|trashed| trashed.id == id);
        all.max_by_key(|trashed| trashed.deleted_at)
            .ok_or(SessionError::NotFound(id))
    }

    fn all(&self) -> Result<Vec<TrashedSession>, SessionError> {
        trashed_sessions(&*self.storage, &self.dir).map_err(|error| {
            SessionError::Filesystem(format!("cannot read {}: {error}", self.dir.display()))
        })
    }

    /// Renames a session out of the trash before its files are removed, because removing them can stop
    /// half way.
    fn put_aside(&self, trashed: &TrashedSession) -> Result<PathBuf, SessionError> {
        let failed = |error: io::Error| SessionError::moving("remove", &error);
        let name = format!("{GONE_PREFIX}{}.{}", trashed.id, trashed.deleted_at);
        let gone = self.dir.join(name);
        self.storage.rename(&trashed.dir, &gone).map_err(failed)?;
        self.storage.sync_dir(&self.dir).map_err(failed)?;
        Ok(gone)
    }

    fn is_expired(&self, trashed: &TrashedSession) -> bool {
        trashed.deleted_at.saturating_add(millis(self.keep)) <= self.agreed_ms()
    }

    /// The time on which two clocks agree, in milliseconds since 1970. The wall clock may be far ahead at
    /// one start, and what is removed does not come back: for a day it counts only as far as the files of
    /// the last daemon say, and the time since the start.
    fn agreed_ms(&self) -> u64 {
        let up = self.started.elapsed();
        let now = self.clock.now_ms();
        if up >= DAY {
            return now;
        }
        now.min(self.last_written.saturating_add(millis(up)))
    }

    /// After a move between the trash and the sessions. A crash leaves the session in one of both.
    fn sync(&self, session: &Path) {
        let sessions = session.parent().unwrap_or(session);
        for dir in [sessions, &self.dir] {
            if let Err(error) = self.storage.sync_dir(dir) {
                tracing::warn!(dir = %dir.display(), %error, "a deletion, or its end, may not survive a power failure");
            }
        }
    }

    /// The lock guards no value.
    fn leaving(&self) -> MutexGuard<'_, ()> {
        self.leaving.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the files of a deleted session. The next daemon removes what a crash leaves.
pub(crate) fn remove_files(dir: &Path) {
    if let Err(error) = if_present(fs::remove_dir_all(dir)) {
        tracing::warn!(path = %dir.display(), %error, "the files of a deleted session could not be removed");
    }
}

#[cfg(test)]
mod tests {
    use scorel_journal::FileStorage;

    use super::*;
    use crate::clock::now_ms;

    const DAY_MS: u64 = 24 * 60 * 60 * 1000;

    fn trash(dir: &Path, ahead: u64) -> Trash {
        let clock = WallClock::new(move || now_ms() + ahead);
        Trash::new(Arc::new(FileStorage), dir.to_owned(), 7 * DAY, clock)
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_is_ahead_at_a_start_empties_nothing_for_a_day() {
        let home = tempfile::tempdir().expect("a directory");
        let dir = home.path().join("trash");
        let old = format!("{}.{}", SessionId::generate(), now_ms() - 8 * DAY_MS);
        let new = format!("{}.{}", SessionId::generate(), now_ms());
        for name in [&old, &new] {
            fs::create_dir_all(dir.join(name)).expect("made");
        }
        let expired = |trash: &Trash| {
            let expired = trash.expired().expect("readable");
            let mut names: Vec<_> = expired.into_iter().map(|it| it.dir).collect();
            names.sort();
            names
        };
        assert_eq!(expired(&trash(&dir, 0)), [dir.join(&old)]);
        let ahead = trash(&dir, 30 * DAY_MS);
        assert_eq!(expired(&ahead), [dir.join(&old)]);
        tokio::time::advance(DAY).await;
        assert_eq!(
            expired(&ahead).len(),
            2,
            "the clock has been right all the time"
        );
    }
}
