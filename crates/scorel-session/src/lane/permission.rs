use scorel_proto::{
    OpenQuestion, PermissionDecision, PermissionDecisionBody, PermissionRequestBody,
    PermissionRequestId, PersistentBody, Phase, Seq,
};

use super::{EventDraft, PublishedLane, Section};
use crate::{MutationCommand, SessionError};

impl Section<'_> {
    /// Records the decision about an open request and wakes the turn. `command` is the client's, if
    /// a client decided.
    pub(crate) fn decide(
        &mut self,
        command: Option<&MutationCommand>,
        decision: PermissionDecisionBody,
    ) -> Result<Seq, SessionError> {
        let turn_id = self.published().turn_id();
        let body = PersistentBody::PermissionDecision(decision);
        let mut draft = EventDraft::new(body).in_turn(turn_id);
        if let Some(command) = command {
            draft = draft.by(command);
        }
        let seq = self.commit_and_announce(draft)?.seq;
        self.lane.answered.notify_waiters();
        Ok(seq)
    }

    /// Records `cancelled` for an open request.
    pub(crate) fn cancel_request(
        &mut self,
        request_id: PermissionRequestId,
        reason: &str,
    ) -> Result<(), SessionError> {
        let decision = PermissionDecisionBody {
            request_id,
            decision: PermissionDecision::Cancelled,
            reason: Some(reason.to_owned()),
            by: None,
        };
        self.decide(None, decision).map(drop)
    }

    /// Records `cancelled` for every open request: nothing waits for an answer any more.
    pub(crate) fn cancel_requests(&mut self, reason: &str) -> Result<(), SessionError> {
        let open = self.view().state.permissions.clone();
        let mut open = open.into_iter();
        open.try_for_each(|request| self.cancel_request(request.request_id, reason))
    }

    pub(crate) fn open_request(&self, id: PermissionRequestId) -> Option<PermissionRequestBody> {
        let view = self.view();
        let mut open = view.state.permissions.iter();
        open.find(|request| request.request_id == id).cloned()
    }
}

impl Section<'_> {
    /// Tells the host feed which questions are open now and which are not any more.
    pub(super) fn announce_questions(&mut self) {
        let open = self.published().open_questions();
        let known = std::mem::replace(&mut self.state.asking, open.clone());
        let host = &self.lane.shared.host;
        for id in known.iter().filter(|id| !open.contains(id)) {
            let answer = self.view().state.answers.get(*id).cloned();
            host.question_closed(self.lane.id(), *id, answer);
        }
        for id in open.iter().filter(|id| !known.contains(id)) {
            let question = self.published().question(*id);
            if let Some(question) = question {
                host.question_opened(question);
            }
        }
    }
}

impl PublishedLane<'_> {
    /// The requests that can be answered. In a session that has failed none can.
    pub(crate) fn open_questions(&self) -> Vec<PermissionRequestId> {
        if self.check_exists().is_err() || self.phase() == Phase::Failed {
            return Vec::new();
        }
        let open = self.view().state.permissions.iter();
        open.map(|request| request.request_id).collect()
    }

    /// The request with the session that asks.
    pub(crate) fn question(&self, id: PermissionRequestId) -> Option<OpenQuestion> {
        let (header, state) = (self.lane.header(), &self.view().state);
        let mut open = state.permissions.iter();
        let request = open.find(|request| request.request_id == id)?.clone();
        let parent = header.parent.as_ref().filter(|_| header.agent.is_some());
        Some(OpenQuestion {
            session_id: header.session_id,
            project_id: header.project_id,
            title: state.display_title().map(str::to_owned),
            agent_type: header.agent.as_ref().map(|agent| agent.agent_type.clone()),
            parent_session_id: parent.map(|parent| parent.session_id),
            asked_at: id.timestamp_ms(),
            request,
        })
    }
}
