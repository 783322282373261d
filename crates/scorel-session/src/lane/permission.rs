use scorel_proto::{
    PermissionDecision, PermissionDecisionBody, PermissionRequestBody, PermissionRequestId,
    PersistentBody, Seq,
};

use super::{EventDraft, Section};
use crate::{MutationCommand, SessionError};

impl Section<'_> {
    /// Records the decision about an open request and wakes the turn. `command` is the client's, if
    /// a client decided.
    pub(crate) fn decide(
        &mut self,
        command: Option<&MutationCommand>,
        decision: PermissionDecisionBody,
    ) -> Result<Seq, SessionError> {
        let mut draft = EventDraft::new(PersistentBody::PermissionDecision(decision));
        if let Some(turn_id) = self.published().turn_id() {
            draft = draft.in_turn(turn_id);
        }
        if let Some(command) = command {
            draft = draft.by(command);
        }
        let seq = self.commit(draft)?.seq;
        self.announce();
        self.lane.answered.notify_waiters();
        Ok(seq)
    }

    /// Records `cancelled` for every open request: nothing waits for an answer any more.
    pub(crate) fn cancel_requests(&mut self, reason: &str) -> Result<(), SessionError> {
        let open = self.view().state.permissions.clone();
        for request in open {
            let decision = PermissionDecisionBody {
                request_id: request.request_id,
                decision: PermissionDecision::Cancelled,
                reason: Some(reason.to_owned()),
            };
            self.decide(None, decision)?;
        }
        Ok(())
    }

    pub(crate) fn open_request(&self, id: PermissionRequestId) -> Option<PermissionRequestBody> {
        let view = self.view();
        let mut open = view.state.permissions.iter();
        open.find(|request| request.request_id == id).cloned()
    }
}
