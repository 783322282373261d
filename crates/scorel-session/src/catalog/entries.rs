use std::collections::{BTreeMap, HashMap, HashSet};

use scorel_proto::{ListSessionsResult, Phase, Session, SessionId, UnreadableSession};
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
    pub(super) session: Session,
}

enum ListedSession<'a> {
    Known(&'a Session),
    Unreadable(SessionId, &'a str),
}

impl CatalogEntry {
    /// True if it has the history of each agent's runtimes. One that an older version saved has none.
    pub(super) fn has_histories(&self) -> bool {
        let runtimes = self.session.runtimes.as_ref();
        runtimes.is_none_or(|it| it.total == 0 || !it.agents.is_empty())
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

    pub(super) fn replace(&mut self, by_id: HashMap<SessionId, CatalogEntry>) {
        let with_runtimes = by_id.iter().filter(|it| it.1.session.runtimes.is_some());
        self.with_runtimes = with_runtimes.map(|(id, _)| *id).collect();
        self.by_id = by_id;
    }

    /// The sessions that have given tasks to agents.
    pub(super) fn with_runtimes(&self) -> impl Iterator<Item = &Session> {
        let entries = self.with_runtimes.iter();
        entries.filter_map(|id| Some(&self.by_id.get(id)?.session))
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
        let session = is_new.then(|| entry.session.clone());
        self.put(entry);
        session
    }

    pub(super) fn has_failed(&self, id: SessionId) -> bool {
        let entry = self.by_id.get(&id);
        self.unreadable.contains_key(&id) || entry.is_some_and(|entry| entry.log_bytes.is_none())
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
        let sessions = self.by_id.values().map(|entry| &entry.session);
        let known = sessions
            .filter(|session| filter.accepts(session))
            .map(|session| (SortKey::of(session), ListedSession::Known(session)));
        let unreadable = self.unreadable.iter().filter(|_| !filter.archived);
        known.chain(unreadable.map(|(id, problem)| {
            let listed = ListedSession::Unreadable(*id, problem);
            (SortKey::unreadable(*id), listed)
        }))
    }
}
