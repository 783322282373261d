//! Summaries of all sessions, for listing.

mod entries;
mod filter;
mod summary;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_journal::{EVENTS, Storage, read_bounded, replace_file};
use scorel_proto::{ListSessionsResult, Phase, ProjectId, Session, SessionId};
use tokio::sync::OnceCell;

use crate::SessionError;

use entries::{Entries, Entry};

pub use filter::ListFilter;

/// What the directory of a deleted session is called until it is gone.
pub const DELETED_PREFIX: &str = ".deleted-";

/// How large the file of summaries may be. A larger one is made anew.
const MAX_INDEX_BYTES: u64 = 512 * 1024 * 1024;

/// Summaries of all sessions.
///
/// They are kept in a derived file, so that listing reads no logs. The file is read when the first
/// listing is asked for, and compared with the directory: the daemon's start does not depend on
/// how many sessions there are.
#[derive(Debug)]
pub(crate) struct Catalog {
    storage: Arc<dyn Storage>,
    dir: PathBuf,
    file: PathBuf,
    entries: Mutex<Entries>,
    ready: OnceCell<()>,
}

/// Checks the file of summaries at `path`, for a tool that looks at a home.
///
/// # Errors
///
/// `InvalidData` if the daemon would not understand it, and whatever else the file system says.
pub fn check_index_file(storage: &dyn Storage, path: &Path) -> io::Result<()> {
    read_index(storage, path).map(drop)
}

fn read_index(storage: &dyn Storage, path: &Path) -> io::Result<Vec<Entry>> {
    let bytes = read_bounded(storage, path, MAX_INDEX_BYTES)?;
    Ok(serde_json::from_slice(&bytes)?)
}

impl Catalog {
    pub(crate) fn new(storage: Arc<dyn Storage>, dir: PathBuf, file: PathBuf) -> Self {
        Self {
            storage,
            dir,
            file,
            entries: Mutex::default(),
            ready: OnceCell::new(),
        }
    }

    /// Reads the catalogue, unless that has been done.
    pub(crate) async fn ready(catalog: &Arc<Self>) -> Result<(), SessionError> {
        let read = || async {
            let catalog = Arc::clone(catalog);
            tokio::task::spawn_blocking(move || catalog.read())
                .await
                .map_err(|error| SessionError::Internal(error.to_string()))?
        };
        catalog.ready.get_or_try_init(read).await.copied()
    }

    /// Notes a session's summary.
    pub(crate) fn put(&self, session: Session, log_bytes: Option<u64>) {
        self.entries().put(Entry { log_bytes, session });
    }

    /// The session is gone.
    pub(crate) fn remove(&self, id: SessionId) {
        let mut entries = self.entries();
        entries.remove(id);
        if !self.ready.initialized() {
            entries.deleted.insert(id);
        }
    }

    /// Notes that a session cannot be used. Gives its summary, if there is one and this is new.
    pub(crate) fn fail(&self, id: SessionId, problem: String) -> Option<Session> {
        self.entries().fail(id, problem)
    }

    /// Whether a session could not be used when somebody tried the last time.
    pub(crate) fn has_failed(&self, id: SessionId) -> bool {
        self.entries().has_failed(id)
    }

    pub(crate) fn has_sessions(&self, project_id: ProjectId) -> bool {
        self.entries()
            .by_id
            .values()
            .any(|entry| entry.session.project_id == project_id)
    }

    /// The sessions that were left in the middle of something.
    pub(crate) fn unfinished(&self) -> Vec<SessionId> {
        let entries = self.entries();
        let sessions = entries.by_id.values().map(|entry| &entry.session);
        let unfinished = |session: &&Session| {
            !matches!(session.phase, Phase::Idle | Phase::Failed) || !session.queue.is_empty()
        };
        sessions
            .filter(unfinished)
            .map(|session| session.session_id)
            .collect()
    }

    /// The sessions that a filter lets through, and where the next page begins.
    pub(crate) fn list(&self, filter: &ListFilter) -> Result<ListSessionsResult, SessionError> {
        self.entries().list(filter)
    }

    /// Writes the summaries, if they have changed since they were read.
    pub(crate) fn save(&self) {
        if !self.ready.initialized() {
            return;
        }
        let snapshot: Vec<Entry> = {
            let mut entries = self.entries();
            if !std::mem::take(&mut entries.dirty) {
                return;
            }
            entries.by_id.values().cloned().collect()
        };
        let saved = serde_json::to_vec(&snapshot)
            .map_err(io::Error::from)
            .and_then(|bytes| replace_file(&*self.storage, &self.file, &bytes));
        if let Err(error) = saved {
            tracing::warn!(%error, "the index of sessions was not written");
            self.entries().dirty = true;
        }
    }

    /// Compares the file with the directory: what the file does not know is summarised, what is
    /// not there any more is left out.
    fn read(&self) -> Result<(), SessionError> {
        let known = self.read_file();
        let mut found = HashMap::new();
        let mut failed = Vec::new();
        for id in self.session_ids()? {
            match self.entry(id, known.get(&id)) {
                Ok(entry) => found.extend(entry.map(|entry| (id, entry))),
                Err(problem) => {
                    found.extend(known.get(&id).map(|entry| (id, entry.clone())));
                    failed.push((id, problem));
                }
            }
        }
        let mut entries = self.entries();
        let deleted = std::mem::take(&mut entries.deleted);
        found.retain(|id, _| !deleted.contains(id));
        failed.retain(|(id, _)| !deleted.contains(id) && !entries.by_id.contains_key(id));
        // What the lanes have said in the meantime is newer.
        failed.extend(std::mem::take(&mut entries.unreadable));
        found.extend(entries.by_id.drain());
        entries.by_id = found;
        for (id, problem) in failed {
            entries.fail(id, problem);
        }
        entries.dirty = entries.by_id != known;
        Ok(())
    }

    /// The sessions that have a directory. What a crash left of deleted ones is removed.
    fn session_ids(&self) -> Result<Vec<SessionId>, SessionError> {
        let failed = |error: io::Error| {
            SessionError::Filesystem(format!("cannot read {}: {error}", self.dir.display()))
        };
        let mut ids = Vec::new();
        for item in fs::read_dir(&self.dir).map_err(failed)? {
            let item = item.map_err(failed)?;
            let Some(name) = item.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            if name.starts_with(DELETED_PREFIX) {
                // A deletion that a crash interrupted is finished.
                let _ = fs::remove_dir_all(item.path());
            } else {
                ids.extend(name.parse::<SessionId>().ok());
            }
        }
        Ok(ids)
    }

    fn read_file(&self) -> HashMap<SessionId, Entry> {
        let entries = read_index(&*self.storage, &self.file).unwrap_or_default();
        entries
            .into_iter()
            .map(|entry| (entry.session.session_id, entry))
            .collect()
    }

    /// A session as its log tells, or what keeps the log from telling. Nothing if there is no log.
    fn entry(&self, id: SessionId, known: Option<&Entry>) -> Result<Option<Entry>, String> {
        let dir = self.dir.join(id.to_string());
        let log_bytes = match self.storage.status(&dir.join(EVENTS)) {
            Ok(status) => Some(status.len),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot look at the log: {error}")),
        };
        match known {
            Some(entry) if entry.log_bytes == log_bytes => Ok(Some(entry.clone())),
            _ => {
                let session = summary::summarise(&*self.storage, &dir, id)?;
                let log_bytes = log_bytes.filter(|_| session.problem.is_none());
                Ok(Some(Entry { log_bytes, session }))
            }
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
