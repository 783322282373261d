//! Requests for permission, and the answers to them.

use std::sync::Arc;

use scorel_proto::{
    PermissionDecision, PermissionDecisionBody, PermissionRequestBody, PermissionRequestId,
    PersistentBody, Seq,
};

use super::{Draft, Lane, LaneState};
use crate::receipts::Answer;
use crate::{Command, SessionError};

impl Lane {
    /// Answers a request for permission. The first answer counts; it is durable when this returns.
    ///
    /// # Errors
    ///
    /// [`SessionError::Conflict`] if the request is not open any more, or never was;
    /// [`SessionError::InvalidParams`] if the answer is not possible for it; otherwise see
    /// [`SessionError`]. Nothing is decided then.
    pub async fn respond(
        self: &Arc<Self>,
        command: Command,
        decision: PermissionDecisionBody,
    ) -> Result<Seq, SessionError> {
        self.section(move |lane, state| {
            state.check_exists()?;
            if let Some(Answer::Done(seq)) = state.receipts.find(&command)? {
                return Ok(*seq);
            }
            state.check_usable()?;
            if lane.shared.is_draining() {
                return Err(SessionError::ShuttingDown);
            }
            let request = open_request(state, decision.request_id).ok_or_else(|| {
                SessionError::Conflict(format!(
                    "{} is not open: it was answered, or its turn has ended",
                    decision.request_id
                ))
            })?;
            lane.allow(request, decision.decision)?;
            lane.decide(state, Some(&command), decision)
        })
        .await?
    }

    /// Notes a permission that outlives the session, before anybody is told of it.
    fn allow(
        &self,
        request: &PermissionRequestBody,
        decision: PermissionDecision,
    ) -> Result<(), SessionError> {
        let lasting = match decision {
            PermissionDecision::Session => false,
            PermissionDecision::Always => true,
            _ => return Ok(()),
        };
        if request.rules.is_empty() {
            let text = "this is asked every time: answer `once` or `deny`";
            return Err(SessionError::InvalidParams(text.to_owned()));
        }
        if lasting {
            let noted = self
                .shared
                .setup
                .allow_always(self.header.project_id, &request.rules);
            noted.map_err(|error| SessionError::Filesystem(error.to_string()))?;
        }
        Ok(())
    }

    /// Writes a decision about a request that is open, and tells the turn.
    pub(crate) fn decide(
        &self,
        state: &mut LaneState,
        command: Option<&Command>,
        decision: PermissionDecisionBody,
    ) -> Result<Seq, SessionError> {
        let mut draft = Draft::new(PersistentBody::PermissionDecision(decision));
        if let Some(turn_id) = state.view.state.turn_id() {
            draft = draft.in_turn(turn_id);
        }
        if let Some(command) = command {
            draft = draft.by(command);
        }
        let seq = self.commit(state, draft)?.seq;
        self.announce(state);
        self.answered.notify_waiters();
        Ok(seq)
    }

    /// Decides about every open request that nobody will answer any more.
    pub(crate) fn cancel_requests(
        &self,
        state: &mut LaneState,
        reason: &str,
    ) -> Result<(), SessionError> {
        for request in state.view.state.permissions.clone() {
            let decision = PermissionDecisionBody {
                request_id: request.request_id,
                decision: PermissionDecision::Cancelled,
                reason: Some(reason.to_owned()),
            };
            self.decide(state, None, decision)?;
        }
        Ok(())
    }
}

pub(crate) fn open_request(
    state: &LaneState,
    id: PermissionRequestId,
) -> Option<&PermissionRequestBody> {
    let mut open = state.view.state.permissions.iter();
    open.find(|request| request.request_id == id)
}
