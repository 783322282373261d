use std::collections::{BTreeSet, HashMap};

use scorel_proto::{AgentTaskId, SessionId};

/// The results that open calls of `AgentStatus` will give to the model.
///
/// A claimed result is not delivered as a message. A claim holds for as long as the fold of the session has
/// the call open: the call's result and what it delivers are one record.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    by_call: HashMap<(SessionId, String), BTreeSet<AgentTaskId>>,
}

impl Claims {
    pub(crate) fn add(
        &mut self,
        session: SessionId,
        call: String,
        runtimes: BTreeSet<AgentTaskId>,
    ) {
        if !runtimes.is_empty() {
            self.by_call.insert((session, call), runtimes);
        }
    }

    /// The session was deleted.
    pub(crate) fn forget(&mut self, session: SessionId) {
        self.by_call.retain(|(of, _), _| *of != session);
    }

    /// The runtimes of a session that are claimed by its open calls. Forgets the calls that have ended.
    pub(crate) fn of(&mut self, session: SessionId, open: &[String]) -> BTreeSet<AgentTaskId> {
        self.by_call
            .retain(|(of, call), _| *of != session || open.contains(call));
        let claims = self.by_call.iter().filter(|((of, _), _)| *of == session);
        claims.flat_map(|(_, runtimes)| runtimes).copied().collect()
    }
}
