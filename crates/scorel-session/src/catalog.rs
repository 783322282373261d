//! The catalogue: a summary of every session, so that listing reads no logs.

mod clean_mark;
mod entries;
mod filter;
mod saved_index;
mod summary;
mod summary_check;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use scorel_journal::{EVENTS, Storage, if_present};
use scorel_proto::{
    AgentHistory, ListSessionsResult, Phase, ProjectId, Session, SessionId, SessionKind, ToolPreset,
};
use tokio::sync::OnceCell;

use crate::json_file::{read_json, replace_json};
use crate::locks::Leaf;
use crate::{SessionError, blocking};

use clean_mark::CleanMark;
use entries::{CatalogEntries, CatalogEntry};
use saved_index::SavedIndex;

pub use filter::ListFilter;
pub(crate) use filter::SortKey;
pub(crate) use summary::summarise;
pub(crate) use summary_check::SummaryCheck;

/// The prefix of the directories of deleted sessions, until their files are removed.
pub const DELETED_PREFIX: &str = ".deleted-";

/// The directory beside the sessions in which clones are made, until they are complete and get the
/// name of their session.
pub const CLONING_DIR: &str = ".cloning";

/// How large the file may be, in bytes. A larger one is rebuilt from the logs.
const MAX_INDEX_BYTES: u64 = 512 * 1024 * 1024;

/// A summary of every session, in memory and in a derived file.
///
/// The file is read with the first listing and then compared with the directory, so that starting
/// the daemon does not depend on how many sessions there are. After a daemon that ended cleanly only the
/// names are compared, and the logs later.
#[derive(Debug)]
pub(crate) struct Catalog {
    storage: Arc<dyn Storage>,
    dir: PathBuf,
    file: PathBuf,
    entries: Leaf<CatalogEntries>,
    saved: OnceLock<SavedIndex>,
    mark: CleanMark,
    /// Held while the file is written.
    saving: Mutex<()>,
    ready: OnceCell<()>,
}

/// Checks the catalogue file at `path`, for `fsck`.
///
/// # Errors
///
/// `InvalidData` if the daemon could not use it, otherwise the error of the file system.
pub fn check_index_file(storage: &dyn Storage, path: &Path) -> io::Result<()> {
    read_index(storage, path).map(drop)
}

fn read_index(storage: &dyn Storage, path: &Path) -> io::Result<Vec<CatalogEntry>> {
    read_json(storage, path, MAX_INDEX_BYTES)
}

impl Catalog {
    pub(crate) fn new(storage: Arc<dyn Storage>, dir: PathBuf, file: PathBuf) -> Self {
        Self {
            mark: CleanMark::new(Arc::clone(&storage), &file),
            storage,
            dir,
            file,
            entries: Leaf::default(),
            saved: OnceLock::new(),
            saving: Mutex::default(),
            ready: OnceCell::new(),
        }
    }

    /// Reads the file and compares it with the directory, once.
    pub(crate) async fn ready(catalog: &Arc<Self>) -> Result<(), SessionError> {
        let read = || async {
            let catalog = Arc::clone(catalog);
            blocking(move || catalog.read()).await?
        };
        catalog.ready.get_or_try_init(read).await.copied()
    }

    /// Replaces a summary. `log_bytes` is the length of the log that it covers; `None` makes the next
    /// daemon read the log again.
    pub(crate) fn put(&self, session: Session, log_bytes: Option<u64>) {
        let session = Box::new(session);
        self.entries.lock().put(CatalogEntry { log_bytes, session });
    }

    pub(crate) fn remove(&self, id: SessionId) {
        let mut entries = self.entries.lock();
        entries.remove(id);
        if !self.ready.initialized() {
            entries.deleted.insert(id);
        }
    }

    /// A deleted session is back.
    pub(crate) fn restored(&self, id: SessionId) {
        self.entries.lock().deleted.remove(&id);
    }

    /// The length of the session's log in bytes when the last daemon saved the catalogue, if it is
    /// known. Reads the file the first time, which blocks on the disk.
    pub(crate) fn saved_log_bytes(&self, id: SessionId) -> Option<u64> {
        self.saved().lengths.lock().get(&id).copied()
    }

    /// The log has a record behind whatever was lost, so its saved length says nothing any more.
    pub(crate) fn forget_saved_log_bytes(&self, id: SessionId) {
        self.saved().lengths.lock().remove(&id);
    }

    fn saved(&self) -> &SavedIndex {
        self.saved.get_or_init(|| {
            let entries = read_index(&*self.storage, &self.file).unwrap_or_default();
            SavedIndex::new(entries)
        })
    }

    /// The log is about to get a record, which the file does not cover. Blocks on the disk before the first
    /// one.
    pub(crate) fn before_record(&self) -> io::Result<()> {
        self.mark.remove()
    }

    /// The daemon is about to end: [`Catalog::close`] writes the file for the last time.
    pub(crate) fn before_close(&self) {
        self.mark.announce();
    }

    /// Writes the file, and marks it as complete if no record has come since [`Catalog::before_close`].
    pub(crate) fn close(&self) {
        if self.save() {
            self.mark.leave();
        }
    }

    /// The sessions that the file was trusted about, and whose logs have another length. Only once. Blocks on
    /// the disk.
    pub(crate) fn take_misjudged(&self) -> Vec<SessionId> {
        let mut trusted = std::mem::take(&mut self.entries.lock().unchecked);
        trusted.retain(|id| {
            let status = self.storage.status(&self.log(*id));
            self.is_outdated(*id, status.ok().map(|status| status.len))
        });
        trusted
    }

    /// Looks at the log of a session that is not loaded.
    pub(crate) fn check(&self, id: SessionId) -> SummaryCheck {
        let known = self.entries.lock().by_id.get(&id).cloned();
        match self.entry(id, known.as_ref()) {
            Ok(Some(entry)) if known.is_some_and(|known| known.is_of_same_log(&entry)) => {
                SummaryCheck::Right
            }
            Ok(Some(entry)) => SummaryCheck::Changed(entry.session, entry.log_bytes),
            Ok(None) => SummaryCheck::Gone,
            Err(problem) => SummaryCheck::Unreadable(problem),
        }
    }

    /// Marks a session as failed. Returns its summary if that changed it.
    pub(crate) fn fail(&self, id: SessionId, problem: String) -> Option<Session> {
        self.entries.lock().fail(id, problem)
    }

    /// True if the summary does not cover a log of this many bytes. False without a summary.
    pub(crate) fn is_outdated(&self, id: SessionId, log_bytes: Option<u64>) -> bool {
        self.entries.lock().is_outdated(id, log_bytes)
    }

    pub(crate) fn has_sessions(&self, project_id: ProjectId) -> bool {
        let entries = self.entries.lock();
        entries.sessions().any(|it| it.project_id == project_id)
    }

    /// The session of a project that a file was imported as.
    pub(crate) fn imported(&self, project_id: ProjectId, sha256: &str) -> Option<SessionId> {
        let is_it = |session: &&Session| {
            let origin = session.origin.as_ref();
            session.project_id == project_id && origin.is_some_and(|it| it.sha256 == sha256)
        };
        let entries = self.entries.lock();
        entries.sessions().find(is_it).map(|it| it.session_id)
    }

    /// The sessions that were created for a task, by its id.
    pub(crate) fn by_task(&self) -> HashMap<String, SessionId> {
        let of_task = |session: &Session| {
            let task = session.parent.as_ref()?.task_id.clone()?;
            Some((task, session.session_id))
        };
        self.entries.lock().sessions().filter_map(of_task).collect()
    }

    /// The sessions that were busy when the last daemon stopped.
    pub(crate) fn unfinished(&self) -> Vec<SessionId> {
        let is_unfinished = |session: &&Session| {
            let runtimes = session.runtimes.as_ref();
            let has_open = runtimes.is_some_and(|runtimes| runtimes.open > 0);
            let is_busy = !matches!(session.phase, Phase::Idle | Phase::Failed);
            is_busy || has_open || !session.queue.is_empty()
        };
        let entries = self.entries.lock();
        let unfinished = entries.sessions().filter(is_unfinished);
        unfinished.map(|session| session.session_id).collect()
    }

    /// The sessions that have given tasks to agents.
    pub(crate) fn with_runtimes(&self, project_id: Option<ProjectId>) -> Vec<SessionId> {
        let entries = self.entries.lock();
        let sessions = entries.with_runtimes(project_id);
        sessions.map(|session| session.session_id).collect()
    }

    /// The history of each agent's runtimes, by the names of the agents.
    pub(crate) fn agents(&self, project_id: Option<ProjectId>) -> BTreeMap<String, AgentHistory> {
        let mut agents: BTreeMap<String, AgentHistory> = BTreeMap::new();
        let entries = self.entries.lock();
        let runtimes = entries
            .with_runtimes(project_id)
            .filter_map(|session| session.runtimes.as_ref());
        for (agent_type, history) in runtimes.flat_map(|it| &it.agents) {
            agents.entry(agent_type.clone()).or_default().add(history);
        }
        agents
    }

    /// The session of a user with the tools for agents that was changed last.
    pub(crate) fn orchestrator(&self, project_id: ProjectId) -> Option<SessionId> {
        let is_one = |session: &&Session| {
            session.project_id == project_id
                && session.kind == SessionKind::User
                && session.tools == Some(ToolPreset::Orchestrator)
                && !session.archived
        };
        let entries = self.entries.lock();
        let sessions = entries.sessions().filter(is_one);
        let last = sessions.max_by_key(|session| session.updated_at);
        last.map(|session| session.session_id)
    }

    /// The session that was made for a task.
    pub(crate) fn for_task(&self, task_id: &str) -> Option<Session> {
        let is_it = |session: &&Session| {
            let parent = session.parent.as_ref();
            parent.and_then(|parent| parent.task_id.as_deref()) == Some(task_id)
        };
        self.entries.lock().sessions().find(is_it).cloned()
    }

    /// The title of a session.
    pub(crate) fn title(&self, id: SessionId) -> Option<String> {
        let entries = self.entries.lock();
        let entry = entries.by_id.get(&id)?;
        entry.session.title.clone()
    }

    /// One page of the sessions that match a filter.
    pub(crate) fn list(&self, filter: &ListFilter) -> Result<ListSessionsResult, SessionError> {
        self.entries.lock().list(filter)
    }

    /// Writes the file if a summary has changed. Returns whether it has all of them.
    pub(crate) fn save(&self) -> bool {
        if !self.ready.initialized() {
            return false;
        }
        // An older snapshot must not be written after a newer one.
        let _one_writer = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot: Vec<CatalogEntry> = {
            let mut entries = self.entries.lock();
            if !std::mem::take(&mut entries.dirty) {
                return true;
            }
            let saved = entries.by_id.values().map(CatalogEntry::without_stall);
            saved.collect()
        };
        let saved = replace_json(&*self.storage, &self.file, &snapshot);
        if let Err(error) = &saved {
            tracing::warn!(%error, "the index of sessions was not written");
            self.entries.lock().dirty = true;
        }
        saved.is_ok()
    }

    /// Reads the file and compares it with the directory: new and changed logs are summarised, missing ones
    /// are dropped. Of a file that is marked as complete, only the names of sessions are compared.
    fn read(&self) -> Result<(), SessionError> {
        let ids = self.session_ids()?;
        let mut known = std::mem::take(&mut *self.saved().entries.lock());
        let is_clean = self.mark.was_clean();
        let mut found = CatalogEntries::default();
        for id in ids {
            let before = known.remove(&id);
            match before {
                Some(entry) if is_clean && entry.is_complete() => {
                    found.unchecked.push(id);
                    found.by_id.insert(id, entry);
                }
                before => found.add(id, self.entry(id, before.as_ref()), before),
            }
        }
        found.dirty |= !known.is_empty();
        self.entries.lock().merge(found);
        Ok(())
    }

    /// The sessions that have a directory. Removes what a crash left of deleted ones.
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
                // The rename deleted the session. Only its files are left.
                let _ = fs::remove_dir_all(item.path());
            } else {
                ids.extend(name.parse::<SessionId>().ok());
            }
        }
        Ok(ids)
    }

    /// A session's entry: the known one if the length of the log has not changed, else a new one.
    /// `None` if there is no log; the error says why the log cannot be summarised.
    fn entry(
        &self,
        id: SessionId,
        known: Option<&CatalogEntry>,
    ) -> Result<Option<CatalogEntry>, String> {
        let status = if_present(self.storage.status(&self.log(id)))
            .map_err(|error| format!("cannot stat the log: {error}"))?;
        let Some(status) = status else {
            return Ok(None);
        };
        let log_bytes = Some(status.len);
        match known {
            Some(entry) if entry.log_bytes == log_bytes && entry.is_complete() => {
                Ok(Some(entry.clone()))
            }
            _ => {
                let session =
                    summary::summarise(&*self.storage, &self.dir.join(id.to_string()), id)?;
                // A log that has become shorter keeps its length until it is loaded and written, or
                // the numbers of what it has lost would be issued again.
                let log_bytes = log_bytes.max(known.and_then(|entry| entry.log_bytes));
                let log_bytes = log_bytes.filter(|_| session.problem.is_none());
                let session = Box::new(session);
                Ok(Some(CatalogEntry { log_bytes, session }))
            }
        }
    }

    fn log(&self, id: SessionId) -> PathBuf {
        self.dir.join(id.to_string()).join(EVENTS)
    }
}
