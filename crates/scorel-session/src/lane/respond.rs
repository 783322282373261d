use scorel_proto::{PermissionDecision, PermissionDecisionBody, PermissionRequestBody, Seq};

use super::Section;
use super::mutate::Mutation;
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `respondPermission`. The first answer counts.
///
/// Refused with [`SessionError::Answered`] or [`SessionError::NotAsked`] if the request is not open, and with
/// [`SessionError::InvalidParams`] if it cannot be answered like that.
#[derive(Debug)]
pub struct PermissionResponse {
    pub command: MutationCommand,
    pub decision: PermissionDecisionBody,
}

impl Mutation for PermissionResponse {
    type Reply = Seq;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        answer.done()
    }

    /// The first decision counts. Later ones find the request closed.
    fn check_expected(&self, section: &Section<'_>) -> Result<(), SessionError> {
        let request = self.request(section)?;
        let lasting = [PermissionDecision::Session, PermissionDecision::Always];
        if lasting.contains(&self.decision.decision) && request.rules.is_empty() {
            let text = "this call is asked about every time: answer `once` or `deny`";
            return Err(SessionError::InvalidParams(text.to_owned()));
        }
        if self.decision.decision == PermissionDecision::Always && request.session_only {
            let text =
                "these rules may hold for the session only: answer `session`, `once` or `deny`";
            return Err(SessionError::InvalidParams(text.to_owned()));
        }
        Ok(())
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        if self.decision.decision == PermissionDecision::Always {
            // The grant is durable before the decision: the other way round, a crash between the two
            // would leave clients with an `always` that does not hold.
            let rules = self.request(section)?.rules;
            let lane = section.lane();
            let granted = lane
                .shared
                .setup
                .allow_always(lane.header.project_id, &rules);
            granted.map_err(|error| SessionError::Filesystem(error.to_string()))?;
        }
        section.decide(Some(&self.command), self.decision)
    }
}

impl PermissionResponse {
    fn request(&self, section: &Section<'_>) -> Result<PermissionRequestBody, SessionError> {
        let id = self.decision.request_id;
        section
            .open_request(id)
            .ok_or_else(|| match section.view().state.answers.get(id) {
                Some(answer) => SessionError::Answered(Box::new(answer.clone())),
                None => SessionError::NotAsked(id),
            })
    }
}
