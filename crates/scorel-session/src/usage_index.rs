//! What all model calls used and cost, by session, day and model.
//!
//! In: each record as it is committed, and, with the first question, the logs that earlier daemons
//! wrote. Out: sums. The logs are the authority for sessions that exist. The file spares reading them
//! again, since it says up to where each was counted, and it remembers deleted sessions: what they
//! cost was spent all the same.
//!
//! Nothing is read before it is needed, so starting the daemon and running turns does not depend on
//! how many sessions there are.

mod entries;
mod file;
mod indexed_session;
mod ledger;
mod report;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::tz::TimeZone;
use scorel_journal::{RecordPosition, Storage};
use scorel_proto::{PersistentEvent, SessionId};

use crate::json_file::replace_json;
use crate::locks::Leaf;
use crate::trash::trashed_sessions;
use crate::{SessionError, SessionHeader};

use entries::{CountedRecord, UsageEntries};
use indexed_session::IndexedSession;
use ledger::{LedgerRow, day_of};

pub(crate) use report::UsageQuery;

/// The usage of all sessions, in memory and in a file.
#[derive(Debug)]
pub(crate) struct UsageIndex {
    storage: Arc<dyn Storage>,
    /// The directory of sessions.
    dir: PathBuf,
    /// The directory of deleted sessions that can be brought back.
    trash: PathBuf,
    file: PathBuf,
    /// Of the days; `None` for the system's.
    zone: Option<TimeZone>,
    /// Held while the logs are read.
    reading: Mutex<()>,
    stage: Leaf<IndexStage>,
}

#[derive(Debug)]
enum IndexStage {
    /// The usage has not been queried. Records are in the logs, and will be read with them.
    Unread,
    /// The logs are being read. Records that are committed meanwhile.
    Reading(Vec<CountedRecord>),
    Ready(UsageEntries),
}

/// Checks the usage file at `path`, for `fsck`.
///
/// # Errors
///
/// `InvalidData` if the daemon could not use it, otherwise the error of the file system.
pub fn check_usage_file(storage: &dyn Storage, path: &Path) -> io::Result<()> {
    file::read(storage, path).map(drop)
}

impl UsageIndex {
    pub(crate) fn new(
        storage: Arc<dyn Storage>,
        (dir, trash): (PathBuf, PathBuf),
        file: PathBuf,
        zone: Option<TimeZone>,
    ) -> Self {
        Self {
            storage,
            dir,
            trash,
            file,
            zone,
            reading: Mutex::default(),
            stage: Leaf::new(IndexStage::Unread),
        }
    }

    /// Counts a record that was committed. Its cost does not depend on the history.
    pub(crate) fn record(
        &self,
        header: &SessionHeader,
        place: RecordPosition,
        event: &PersistentEvent,
    ) {
        let mut stage = self.stage.lock();
        if matches!(*stage, IndexStage::Unread) {
            return;
        }
        let record = CountedRecord {
            session_id: header.session_id,
            project_id: header.project_id,
            seq: place.seq,
            end: place.end() + 1,
            row: LedgerRow::of(event, &self.zone()),
        };
        match &mut *stage {
            IndexStage::Ready(entries) => entries.add(record),
            IndexStage::Reading(pending) if record.row.is_some() => pending.push(record),
            IndexStage::Reading(_) | IndexStage::Unread => {}
        }
    }

    /// The session is gone for good; its usage stays with its project. To be preceded by
    /// [`UsageIndex::read`], while its log is still there.
    pub(crate) fn session_removed(&self, id: SessionId) {
        if let IndexStage::Ready(entries) = &mut *self.stage.lock() {
            entries.remove(id);
        }
    }

    /// What the calls of today cost, in millionths of a US dollar, at `now` (milliseconds since 1970).
    /// Reads the logs the first time, which blocks on the disk.
    pub(crate) fn day_micro_usd(&self, now: u64) -> Result<u64, SessionError> {
        let today = day_of(now, &self.zone());
        self.with(|entries| entries.day_micro_usd(today))
    }

    /// Sums up. Reads the logs the first time, which blocks on the disk.
    pub(crate) fn report(
        &self,
        query: &UsageQuery,
    ) -> Result<scorel_proto::GetUsageResult, SessionError> {
        self.with(|entries| report::report(entries, query))
    }

    /// Reads the file, and the logs as far as it does not cover them. Once.
    pub(crate) fn read(&self) -> Result<(), SessionError> {
        let _one_reader = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*self.stage.lock(), IndexStage::Ready(_)) {
            return Ok(());
        }
        *self.stage.lock() = IndexStage::Reading(Vec::new());
        let read = self.read_logs();
        let mut stage = self.stage.lock();
        let pending = std::mem::replace(&mut *stage, IndexStage::Unread);
        let mut entries = read?;
        if let IndexStage::Reading(pending) = pending {
            pending.into_iter().for_each(|record| entries.add(record));
        }
        *stage = IndexStage::Ready(entries);
        Ok(())
    }

    fn read_logs(&self) -> Result<UsageEntries, SessionError> {
        let known = file::read(&*self.storage, &self.file).unwrap_or_default();
        let mut known_sessions = known.sessions;
        let mut entries = UsageEntries::with_deleted(known.deleted);
        let zone = self.zone();
        for (id, dir) in self.session_dirs()? {
            let known = known_sessions.remove(&id);
            let before = known.clone();
            match IndexedSession::read(&*self.storage, &dir, id, known, &zone) {
                Ok(Some(session)) => entries.insert(id, session),
                Ok(None) => {}
                Err(problem) => {
                    tracing::warn!(session = %id, problem, "usage may be missing");
                    entries.insert_unreadable(id, before);
                }
            }
        }
        // Deleted before the usage was queried, or right before a crash.
        for session in known_sessions.into_values() {
            entries.add_deleted(session);
        }
        Ok(entries)
    }

    /// Those in the trash count as sessions: they may come back.
    fn session_dirs(&self) -> Result<Vec<(SessionId, PathBuf)>, SessionError> {
        let failed = |dir: &Path, error: io::Error| {
            SessionError::Filesystem(format!("cannot read {}: {error}", dir.display()))
        };
        let names = self.storage.list(&self.dir);
        let names = names.map_err(|error| failed(&self.dir, error))?;
        let ids = names.iter().filter_map(|name| name.parse().ok());
        let mut dirs: Vec<_> = ids
            .map(|id: SessionId| (id, self.dir.join(id.to_string())))
            .collect();
        let trashed = trashed_sessions(&*self.storage, &self.trash);
        let trashed = trashed.map_err(|error| failed(&self.trash, error))?;
        dirs.extend(trashed.into_iter().map(|it| (it.id, it.dir)));
        Ok(dirs)
    }

    /// Writes the file if something was counted since. Blocks on the disk.
    pub(crate) fn save(&self) {
        let snapshot = match &mut *self.stage.lock() {
            IndexStage::Ready(entries) => entries.unsaved(),
            IndexStage::Unread | IndexStage::Reading(_) => None,
        };
        let Some(snapshot) = snapshot else { return };
        if let Err(error) = replace_json(&*self.storage, &self.file, &snapshot) {
            tracing::warn!(%error, "the index of usage was not written");
            if let IndexStage::Ready(entries) = &mut *self.stage.lock() {
                entries.is_unsaved = true;
            }
        }
    }

    fn zone(&self) -> TimeZone {
        self.zone.clone().unwrap_or_else(TimeZone::system)
    }

    fn with<R: Default>(&self, f: impl FnOnce(&UsageEntries) -> R) -> Result<R, SessionError> {
        self.read()?;
        Ok(match &*self.stage.lock() {
            IndexStage::Ready(entries) => f(entries),
            IndexStage::Unread | IndexStage::Reading(_) => R::default(),
        })
    }
}
