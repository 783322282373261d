use std::collections::{BTreeMap, HashMap, HashSet};

use scorel_proto::{ListSessionsResult, Phase, Session, SessionId, UnreadableSession};
use serde::{Deserialize, Serialize};

use super::filter::{ListFilter, SortKey};
use crate::SessionError;

/// What is known of all sessions.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub(super) by_id: HashMap<SessionId, Entry>,
    /// What is wrong with the sessions of which no more is known.
    pub(super) unreadable: BTreeMap<SessionId, String>,
    /// Sessions that were deleted while the catalogue was not read yet.
    pub(super) deleted: HashSet<SessionId>,
    /// Whether the file does not say what is known.
    pub(super) dirty: bool,
}

/// One session's summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    /// The length of the log that it sums up; nothing if it is to be looked at again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) log_bytes: Option<u64>,
    pub(super) session: Session,
}

/// A session in a listing.
enum Listed<'a> {
    Known(&'a Session),
    Unreadable(SessionId, &'a str),
}

impl Entries {
    pub(super) fn put(&mut self, entry: Entry) {
        let id = entry.session.session_id;
        self.unreadable.remove(&id);
        self.dirty |= self.by_id.get(&id) != Some(&entry);
        self.by_id.insert(id, entry);
    }

    pub(super) fn remove(&mut self, id: SessionId) {
        self.unreadable.remove(&id);
        self.dirty |= self.by_id.remove(&id).is_some();
    }

    /// A session cannot be used. Gives its summary, if there is one and this is new.
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

    /// Whether a session could not be used when somebody tried the last time.
    pub(super) fn has_failed(&self, id: SessionId) -> bool {
        let entry = self.by_id.get(&id);
        self.unreadable.contains_key(&id) || entry.is_some_and(|entry| entry.log_bytes.is_none())
    }

    /// The sessions that a filter lets through, and where the next page begins.
    pub(super) fn list(&self, filter: &ListFilter) -> Result<ListSessionsResult, SessionError> {
        let before = filter.before()?;
        let mut found: Vec<(SortKey, Listed<'_>)> = self
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
                Listed::Known(session) => page.sessions.push(session.clone()),
                Listed::Unreadable(session_id, problem) => {
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

    fn candidates(&self, filter: &ListFilter) -> impl Iterator<Item = (SortKey, Listed<'_>)> {
        let sessions = self.by_id.values().map(|entry| &entry.session);
        let known = sessions
            .filter(|session| filter.accepts(session))
            .map(|session| (SortKey::of(session), Listed::Known(session)));
        let unreadable = self.unreadable.iter().filter(|_| !filter.archived);
        known.chain(unreadable.map(|(id, problem)| {
            let listed = Listed::Unreadable(*id, problem);
            (SortKey::unreadable(*id), listed)
        }))
    }
}
