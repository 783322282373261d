//! Summaries of all sessions, for listing.

mod summary;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_journal::{Storage, read_bounded, replace_file};
use scorel_proto::{Phase, ProjectId, Session, SessionId, SessionKind};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

use crate::SessionError;

/// What the directory of a deleted session is called until it is gone.
pub(crate) const DELETED_PREFIX: &str = ".deleted-";

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

#[derive(Debug, Default)]
struct Entries {
    by_id: HashMap<SessionId, Entry>,
    /// Sessions that were deleted while the catalogue was not read yet.
    deleted: HashSet<SessionId>,
    dirty: bool,
}

/// One session's summary, and the length of its log to which it belongs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    log_bytes: u64,
    session: Session,
}

/// Which sessions to list.
#[derive(Debug, Clone)]
pub struct ListFilter {
    /// Only those of a project.
    pub project_id: Option<ProjectId>,
    /// Only those of a kind.
    pub kind: Option<SessionKind>,
    /// Only those that are put away, or only the others.
    pub archived: bool,
    /// How many at most.
    pub limit: usize,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl Default for ListFilter {
    fn default() -> Self {
        Self {
            project_id: None,
            kind: None,
            archived: false,
            limit: 50,
            cursor: None,
        }
    }
}

/// The order of a listing: the session that changed last comes first.
type SortKey = (u64, SessionId);

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
    pub(crate) fn put(&self, session: Session, log_bytes: u64) {
        let mut entries = self.entries();
        entries
            .by_id
            .insert(session.session_id, Entry { log_bytes, session });
        entries.dirty = true;
    }

    /// The session is gone.
    pub(crate) fn remove(&self, id: SessionId) {
        let mut entries = self.entries();
        entries.by_id.remove(&id);
        entries.dirty = true;
        if !self.ready.initialized() {
            entries.deleted.insert(id);
        }
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
    pub(crate) fn list(
        &self,
        filter: &ListFilter,
    ) -> Result<(Vec<Session>, Option<String>), SessionError> {
        let before = filter.cursor.as_deref().map(parse_cursor).transpose()?;
        let entries = self.entries();
        let mut found: Vec<(SortKey, &Session)> = entries
            .by_id
            .values()
            .map(|entry| (sort_key(&entry.session), &entry.session))
            .filter(|(key, session)| {
                filter.accepts(session) && before.is_none_or(|before| *key < before)
            })
            .collect();
        found.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
        let more = found.len() > filter.limit;
        found.truncate(filter.limit);
        let next = found
            .last()
            .filter(|_| more)
            .map(|((at, id), _)| format!("{at}.{id}"));
        Ok((
            found
                .into_iter()
                .map(|(_, session)| session.clone())
                .collect(),
            next,
        ))
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
            .map_err(std::io::Error::from)
            .and_then(|bytes| replace_file(&*self.storage, &self.file, &bytes));
        if let Err(error) = saved {
            tracing::warn!(%error, "the index of sessions was not written");
            self.entries().dirty = true;
        }
    }

    /// Compares the file with the directory: what the file does not know is summarised, what is
    /// not there any more is left out.
    fn read(&self) -> Result<(), SessionError> {
        let mut known = self.read_file();
        let failed = |error: std::io::Error| {
            SessionError::Filesystem(format!("cannot read {}: {error}", self.dir.display()))
        };
        let mut found = Vec::new();
        for item in fs::read_dir(&self.dir).map_err(failed)? {
            let item = item.map_err(failed)?;
            let Some(name) = item.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            if name.starts_with(DELETED_PREFIX) {
                // A deletion that a crash interrupted is finished.
                let _ = fs::remove_dir_all(item.path());
            } else if let Ok(id) = name.parse::<SessionId>() {
                found.extend(self.entry(id, known.remove(&id)).map(|entry| (id, entry)));
            }
        }
        let mut entries = self.entries();
        let deleted = std::mem::take(&mut entries.deleted);
        for (id, entry) in found {
            // What the lanes have said in the meantime is newer.
            if !deleted.contains(&id) {
                entries.by_id.entry(id).or_insert(entry);
            }
        }
        entries.dirty = true;
        Ok(())
    }

    fn read_file(&self) -> HashMap<SessionId, Entry> {
        let bytes = read_bounded(&*self.storage, &self.file, MAX_INDEX_BYTES).unwrap_or_default();
        let entries: Vec<Entry> = serde_json::from_slice(&bytes).unwrap_or_default();
        entries
            .into_iter()
            .map(|entry| (entry.session.session_id, entry))
            .collect()
    }

    fn entry(&self, id: SessionId, known: Option<Entry>) -> Option<Entry> {
        let dir = self.dir.join(id.to_string());
        let log_bytes = fs::metadata(dir.join(scorel_journal::EVENTS)).ok()?.len();
        match known {
            Some(entry) if entry.log_bytes == log_bytes => Some(entry),
            _ => {
                let session = summary::summarise(&*self.storage, &dir, id)?;
                Some(Entry { log_bytes, session })
            }
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ListFilter {
    fn accepts(&self, session: &Session) -> bool {
        session.archived == self.archived
            && self.project_id.is_none_or(|id| id == session.project_id)
            && self.kind.is_none_or(|kind| kind == session.kind)
    }
}

fn sort_key(session: &Session) -> SortKey {
    (session.updated_at, session.session_id)
}

fn parse_cursor(text: &str) -> Result<SortKey, SessionError> {
    let parts = text.split_once('.');
    parts
        .and_then(|(at, id)| Some((at.parse().ok()?, id.parse().ok()?)))
        .ok_or_else(|| {
            SessionError::InvalidParams("`cursor` is not one of listSessions".to_owned())
        })
}
