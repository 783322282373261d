use scorel_proto::{AppendResult, CustomBody, PersistentBody};

use super::mutate::Mutation;
use super::{EventDraft, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `appendCustom`: records data beside the conversation.
#[derive(Debug)]
pub struct AppendData {
    pub command: MutationCommand,
    pub body: CustomBody,
}

impl Mutation for AppendData {
    type Reply = AppendResult;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        match answer {
            ReceiptAnswer::Appended(answer) => Some(*answer),
            _ => None,
        }
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let body = PersistentBody::Custom(self.body);
        let event = section.commit_and_announce(EventDraft::new(body).by(&self.command))?;
        Ok(AppendResult {
            event_id: event.id,
            seq: event.seq,
        })
    }
}
