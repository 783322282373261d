use std::collections::HashMap;

use scorel_proto::SessionId;

/// The sessions whose models wait in calls of `AgentStatus`, with how many calls do.
#[derive(Debug, Default)]
pub(crate) struct StatusWaits(HashMap<SessionId, usize>);

impl StatusWaits {
    pub(crate) fn contains(&self, session: SessionId) -> bool {
        self.0.contains_key(&session)
    }

    pub(crate) fn begin(&mut self, session: SessionId) {
        *self.0.entry(session).or_default() += 1;
    }

    pub(crate) fn end(&mut self, session: SessionId) {
        if let Some(count) = self.0.get_mut(&session) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&session);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_waits_until_the_last_of_its_calls_has_ended() {
        let (mut waits, session) = (StatusWaits::default(), SessionId::generate());
        waits.begin(session);
        waits.begin(session);
        waits.end(session);
        assert!(waits.contains(session));
        waits.end(session);
        assert!(!waits.contains(session));
        waits.end(session);
        assert!(!waits.contains(session));
    }
}
