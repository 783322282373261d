use scorel_proto::{PersistentBody, Seq, Session, SessionChanges, SessionInfoBody};

use super::mutate::Mutation;
use super::{EventDraft, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `updateSession` and `archiveSession`.
#[derive(Debug)]
pub struct UpdateRequest {
    pub command: MutationCommand,
    pub changes: SessionChanges,
}

impl Mutation for UpdateRequest {
    type Reply = (Seq, Session);

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    /// The first seq, with the session as it is now: the description is not in the receipt.
    fn repeat(&self, answer: &ReceiptAnswer, section: &Section<'_>) -> Option<Self::Reply> {
        answer
            .done()
            .map(|seq| (seq, section.published().describe()))
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let model = self.changes.model.as_ref();
        let is_other = model.is_some() && model != section.view().state.model.as_ref();
        let body = PersistentBody::SessionInfo(SessionInfoBody {
            changes: self.changes,
        });
        let seq = section.commit(EventDraft::new(body).by(&self.command))?.seq;
        if is_other {
            section.end_wait(self.command.client_id)?;
        }
        if section.view().state.archived {
            section.lane.shared.runners.end(section.lane.id());
        }
        section.announce();
        Ok((seq, section.published().describe()))
    }
}
