use std::collections::HashMap;

use scorel_proto::SessionId;

/// The sessions whose runtimes are to be looked at. One task at a time looks at a session.
#[derive(Debug, Default)]
pub(crate) struct DueSessions {
    sessions: HashMap<SessionId, Due>,
}

#[derive(Debug, Default)]
struct Due {
    /// Something has happened since the look began.
    again: bool,
    /// A later look is arranged.
    later: bool,
    is_looked_at: bool,
}

impl DueSessions {
    /// Returns whether a task is to be started.
    pub(crate) fn add(&mut self, id: SessionId) -> bool {
        let due = self.sessions.entry(id).or_default();
        due.again = true;
        !std::mem::replace(&mut due.is_looked_at, true)
    }

    /// Returns whether a later look is to be arranged.
    pub(crate) fn add_later(&mut self, id: SessionId) -> bool {
        let due = self.sessions.entry(id).or_default();
        !std::mem::replace(&mut due.later, true)
    }

    pub(crate) fn later_is_now(&mut self, id: SessionId) {
        if let Some(due) = self.sessions.get_mut(&id) {
            due.later = false;
        }
    }

    /// Returns whether the task has to look, once more or at all. If not, it has ended.
    pub(crate) fn begin(&mut self, id: SessionId) -> bool {
        let Some(due) = self.sessions.get_mut(&id) else {
            return false;
        };
        if std::mem::take(&mut due.again) {
            return true;
        }
        due.is_looked_at = false;
        if !due.later {
            self.sessions.remove(&id);
        }
        false
    }
}
