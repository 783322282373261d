use super::SessionState;
use crate::{PermissionDecision, PermissionDecisionBody, PermissionRequestBody, PersistentEvent};

impl SessionState {
    pub(super) fn asked(&mut self, body: &PermissionRequestBody, now: u64) {
        self.permissions.push(body.clone());
        if let Some(turn) = &mut self.turn {
            turn.asked(body);
            turn.pause(now);
        }
    }

    /// The first decision about a request counts.
    pub(super) fn decided(&mut self, body: &PermissionDecisionBody, event: &PersistentEvent) {
        let open = &mut self.permissions;
        let asked = open
            .iter()
            .position(|open| open.request_id == body.request_id);
        let Some(request) = asked.map(|index| open.remove(index)) else {
            return;
        };
        if let Some(turn) = &mut self.turn {
            turn.decided(request.clone(), body);
            if self.permissions.is_empty() {
                turn.unpause(event.ts);
            }
        }
        self.answers.add(body, event);
        let lasting = body.decision == PermissionDecision::Session;
        for rule in request.rules.into_iter().filter(|_| lasting) {
            if !self.allowed.contains(&rule) {
                self.allowed.push(rule);
            }
        }
    }
}
