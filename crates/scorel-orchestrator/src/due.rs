use std::collections::HashMap;
use std::time::Duration;

use scorel_proto::SessionId;
use tokio::time::Instant;

/// When a step is tried again that could not be done now.
pub(crate) const RETRY: Duration = Duration::from_secs(1);

/// The sessions to reconcile. At most one task reconciles a session at a time.
#[derive(Debug, Default)]
pub(crate) struct DueSessions {
    sessions: HashMap<SessionId, Due>,
}

#[derive(Debug, Default)]
struct Due {
    /// Something has happened since the look began.
    again: bool,
    /// When the next later look is arranged for.
    later: Option<Instant>,
    is_looked_at: bool,
}

impl DueSessions {
    /// Returns whether a task is to be started.
    pub(crate) fn add(&mut self, id: SessionId) -> bool {
        let due = self.sessions.entry(id).or_default();
        due.again = true;
        !std::mem::replace(&mut due.is_looked_at, true)
    }

    /// Returns whether to schedule a wake-up at that time: none is scheduled that comes as soon.
    pub(crate) fn add_later(&mut self, id: SessionId, at: Instant) -> bool {
        let due = self.sessions.entry(id).or_default();
        let is_first = due.later.is_none_or(|arranged| at < arranged);
        if is_first {
            due.later = Some(at);
        }
        is_first
    }

    pub(crate) fn later_is_now(&mut self, id: SessionId) {
        if let Some(due) = self.sessions.get_mut(&id) {
            due.later = None;
        }
    }

    /// Returns whether the task has to reconcile, again or for the first time. If not, the task is done.
    pub(crate) fn begin(&mut self, id: SessionId) -> bool {
        let Some(due) = self.sessions.get_mut(&id) else {
            return false;
        };
        if std::mem::take(&mut due.again) {
            return true;
        }
        due.is_looked_at = false;
        if due.later.is_none() {
            self.sessions.remove(&id);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_look_that_comes_sooner_is_arranged_beside_a_later_one() {
        let (mut due, id) = (DueSessions::default(), SessionId::generate());
        let now = Instant::now();
        let (soon, late) = (now + Duration::from_secs(1), now + Duration::from_secs(10));
        assert!(due.add_later(id, late));
        assert!(!due.add_later(id, late));
        assert!(due.add_later(id, soon));
        assert!(
            !due.add_later(id, late),
            "the sooner one looks at everything"
        );
        due.later_is_now(id);
        assert!(due.add_later(id, late));
    }

    #[test]
    fn one_task_looks_and_looks_again_if_something_happened_meanwhile() {
        let (mut due, id) = (DueSessions::default(), SessionId::generate());
        assert!(due.add(id), "a task is started");
        assert!(due.begin(id));
        assert!(!due.add(id), "the same task looks again");
        assert!(due.begin(id));
        assert!(!due.begin(id), "it has ended");
        assert!(due.add(id));
    }
}
