use std::collections::{BTreeMap, HashMap, HashSet};

use scorel_proto::{ListSessionsResult, Phase, ProjectId, Session, SessionId, UnreadableSession};
use serde::{Deserialize, Serialize};

use super::filter::{ListFilter, SortKey};
use crate::SessionError;

/// The catalogue in memory.
#[derive(Debug, Default)]
pub(super) struct CatalogEntries {
    pub(super) by_id: HashMap<SessionId, CatalogEntry>,
    /// Those that have given tasks to agents. Each event of an agent asks for them.
    with_runtimes: HashSet<SessionId>,
    /// Sessions without a summary, with the reason.
    pub(super) unreadable: BTreeMap<SessionId, String>,
    /// Those that the file was trusted about. Their logs have not been looked at yet.
    pub(super) unchecked: Vec<SessionId>,
    /// Sessions that were deleted before the file was read. Reading must not bring them back.
    pub(super) deleted: HashSet<SessionId>,
    /// The file is out of date.
    pub(super) dirty: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CatalogEntry {
    /// The length of the log that the summary covers. `None`: the log has to be read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) log_bytes: Option<u64>,
    /// On the heap, so that thousands of entries are moved cheaply.
    pub(super) session: Box<Session>,
}

enum ListedSession<'a> {
    Known(&'a Session),
    Unreadable(SessionId, &'a str),
}

impl CatalogEntry {
    /// True if it says all about a log that has not changed. One that an older version saved lacks the history
    /// of each agent's runtimes.
    pub(super) fn is_complete(&self) -> bool {
        let runtimes = self.session.runtimes.as_ref();
        let has_histories = runtimes.is_none_or(|it| it.total == 0 || !it.agents.is_empty());
        self.log_bytes.is_some() && has_histories
    }

    /// True if both were made of the same records.
    pub(super) fn is_of_same_log(&self, other: &Self) -> bool {
        let last = other.session.last_persistent_seq;
        self.log_bytes == other.log_bytes && self.session.last_persistent_seq == last
    }

    /// As it is saved: whether the log can be written is not for the next daemon to be told.
    pub(super) fn without_stall(&self) -> Self {
        let mut entry = self.clone();
        if entry.session.storage_stalled.take().is_some() {
            entry.session.problem = None;
        }
        entry
    }
}

impl CatalogEntries {
    pub(super) fn put(&mut self, entry: CatalogEntry) {
        let id = entry.session.session_id;
        self.unreadable.remove(&id);
        self.dirty |= self.by_id.get(&id) != Some(&entry);
        if entry.session.runtimes.is_some() {
            self.with_runtimes.insert(id);
        }
        self.by_id.insert(id, entry);
    }

    /// Adds a session whose log was looked at. `before` is what the file says of it.
    pub(super) fn add(
        &mut self,
        id: SessionId,
        looked_at: Result<Option<CatalogEntry>, String>,
        before: Option<CatalogEntry>,
    ) {
        match looked_at {
            Ok(entry) => {
                self.dirty |= entry != before;
                self.by_id.extend(entry.map(|entry| (id, entry)));
            }
            Err(problem) => {
                self.by_id.extend(before.map(|entry| (id, entry)));
                self.fail(id, problem);
            }
        }
    }

    /// Takes over what was read. What lanes have put meanwhile is newer.
    pub(super) fn merge(&mut self, read: Self) {
        let newer = std::mem::replace(self, read);
        let with_runtimes = self
            .by_id
            .iter()
            .filter(|it| it.1.session.runtimes.is_some());
        self.with_runtimes = with_runtimes.map(|(id, _)| *id).collect();
        newer.deleted.into_iter().for_each(|id| self.remove(id));
        newer.by_id.into_values().for_each(|entry| self.put(entry));
        for (id, problem) in newer.unreadable {
            self.fail(id, problem);
        }
    }

    pub(super) fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.by_id.values().map(|entry| &*entry.session)
    }

    /// The sessions that have given tasks to agents, of one project or of all.
    pub(super) fn with_runtimes(
        &self,
        project: Option<ProjectId>,
    ) -> impl Iterator<Item = &Session> {
        let entries = self.with_runtimes.iter();
        let sessions = entries.filter_map(|id| Some(&*self.by_id.get(id)?.session));
        sessions.filter(move |session| project.is_none_or(|id| id == session.project_id))
    }

    pub(super) fn remove(&mut self, id: SessionId) {
        self.unreadable.remove(&id);
        self.with_runtimes.remove(&id);
        self.dirty |= self.by_id.remove(&id).is_some();
    }

    /// Marks a session as failed. Returns its summary if that changed it.
    pub(super) fn fail(&mut self, id: SessionId, problem: String) -> Option<Session> {
        let Some(mut entry) = self.by_id.get(&id).cloned() else {
            self.unreadable.insert(id, problem);
            return None;
        };
        entry.log_bytes = None;
        entry.session.phase = Phase::Failed;
        entry.session.problem = Some(problem);
        let is_new = self.by_id.get(&id) != Some(&entry);
        let session = is_new.then(|| Session::clone(&entry.session));
        self.put(entry);
        session
    }

    pub(super) fn is_outdated(&self, id: SessionId, log_bytes: Option<u64>) -> bool {
        let is_other =
            |entry: &CatalogEntry| entry.log_bytes.is_none() || entry.log_bytes != log_bytes;
        self.unreadable.contains_key(&id) || self.by_id.get(&id).is_some_and(is_other)
    }

    pub(super) fn list(&self, filter: &ListFilter) -> Result<ListSessionsResult, SessionError> {
        let before = filter.before()?;
        let mut found: Vec<(SortKey, ListedSession<'_>)> = self
            .candidates(filter)
            .filter(|(key, _)| before.is_none_or(|before| *key < before))
            .collect();
        found.sort_unstable_by_key(|(key, _)| std::cmp::Reverse(*key));
        let more = found.len() > filter.limit;
        found.truncate(filter.limit);
        let mut page = ListSessionsResult {
            sessions: Vec::new(),
            unreadable: Vec::new(),
            next_cursor: found.last().filter(|_| more).map(|(last, _)| last.cursor()),
        };
        for (_, listed) in found {
            match listed {
                ListedSession::Known(session) => page.sessions.push(session.clone()),
                ListedSession::Unreadable(session_id, problem) => {
                    let problem = problem.to_owned();
                    page.unreadable.push(UnreadableSession {
                        session_id,
                        problem,
                    });
                }
            }
        }
        Ok(page)
    }

    fn candidates(
        &self,
        filter: &ListFilter,
    ) -> impl Iterator<Item = (SortKey, ListedSession<'_>)> {
        let known = self
            .sessions()
            .filter(|session| filter.accepts(session))
            .map(|session| {
                (
                    SortKey::new(session.updated_at, session.session_id),
                    ListedSession::Known(session),
                )
            });
        let unreadable = self.unreadable.iter().filter(|_| !filter.archived);
        known.chain(unreadable.map(|(id, problem)| {
            let listed = ListedSession::Unreadable(*id, problem);
            (SortKey::new(0, *id), listed)
        }))
    }
}
