use std::collections::{BTreeSet, HashMap};

use scorel_proto::{AgentTaskId, SessionId};

/// The results that open calls of `AgentStatus` will give to the model.
///
/// A claimed result is not delivered as a message. A claim holds for as long as the fold of the session has
/// the call open: the call's result and what it delivers are one record.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    by_session: HashMap<SessionId, HashMap<String, BTreeSet<AgentTaskId>>>,
}

impl Claims {
    pub(crate) fn add(
        &mut self,
        session: SessionId,
        call: String,
        runtimes: BTreeSet<AgentTaskId>,
    ) {
        if runtimes.is_empty() {
            return;
        }
        let calls = self.by_session.entry(session).or_default();
        calls.insert(call, runtimes);
    }

    /// The session was deleted.
    pub(crate) fn forget(&mut self, session: SessionId) {
        self.by_session.remove(&session);
    }

    /// The runtimes of a session that are claimed by its open calls. Forgets the calls that have ended.
    pub(crate) fn of(&mut self, session: SessionId, open: &[String]) -> BTreeSet<AgentTaskId> {
        let Some(calls) = self.by_session.get_mut(&session) else {
            return BTreeSet::new();
        };
        calls.retain(|call, _| open.contains(call));
        let claimed = calls.values().flatten().copied().collect();
        if calls.is_empty() {
            self.by_session.remove(&session);
        }
        claimed
    }
}
