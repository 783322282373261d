use scorel_proto::{AppendResult, PersistentBody, TreePlacement};

use super::mutate::Mutation;
use super::{EventDraft, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `appendCustom` and `appendCustomMessage`.
#[derive(Debug)]
pub(super) struct Append {
    pub(super) command: MutationCommand,
    pub(super) body: PersistentBody,
}

impl Mutation for Append {
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

    /// A message between a tool call and its result would break the request, so a running turn
    /// gets none.
    fn check_busy(&self, section: &Section<'_>) -> Result<(), SessionError> {
        let is_message = self.body.place() == TreePlacement::Leaf;
        let has_turn = section.view().state.turn.is_some();
        if is_message && (has_turn || section.lane.has_job()) {
            return Err(section.busy());
        }
        Ok(())
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let event = section.commit(EventDraft::new(self.body).by(&self.command))?;
        section.announce();
        Ok(AppendResult {
            event_id: event.id,
            seq: event.seq,
        })
    }
}
