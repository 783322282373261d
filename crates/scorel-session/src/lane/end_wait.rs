use scorel_proto::{ClientId, PersistentBody, Seq, TurnId, TurnResumedBody};

use super::mutate::Mutation;
use super::{EventDraft, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `endWait`: the call of a waiting turn is made again at once.
///
/// Refused with [`SessionError::Conflict`] if that turn does not wait.
#[derive(Debug)]
pub struct WaitEnd {
    pub command: MutationCommand,
    pub expected: TurnId,
}

impl Mutation for WaitEnd {
    type Reply = Seq;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        answer.done()
    }

    fn check_expected(&self, section: &Section<'_>) -> Result<(), SessionError> {
        if section.waiting_turn() == Some(self.expected) {
            return Ok(());
        }
        let text = format!("turn {} does not wait for a rate limit", self.expected);
        Err(SessionError::Conflict(text))
    }

    /// The record that the turn continues is the receipt: the wait ends once, whatever happens to the
    /// daemon.
    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let resumed = EventDraft::new(PersistentBody::TurnResumed(TurnResumedBody {}));
        section.resume_turn(self.expected, resumed.by(&self.command))
    }
}

impl Section<'_> {
    /// The turn that waits until a moment, if one does.
    pub(crate) fn waiting_turn(&self) -> Option<TurnId> {
        let view = self.view();
        let turn = view.state.turn.as_ref();
        turn.filter(|turn| turn.waiting.is_some())
            .map(|turn| turn.turn_id)
    }

    /// Ends the wait of a turn, if one waits: the session has another model, whose limits are its own.
    pub(super) fn end_wait(&mut self, author: ClientId) -> Result<(), SessionError> {
        if let Some(turn_id) = self.waiting_turn() {
            let resumed = EventDraft::new(PersistentBody::TurnResumed(TurnResumedBody {}));
            self.resume_turn(turn_id, resumed.authored_by(author))?;
        }
        Ok(())
    }

    /// Records that a waiting turn goes on, and wakes it.
    pub(crate) fn resume_turn(
        &mut self,
        turn_id: TurnId,
        draft: EventDraft,
    ) -> Result<Seq, SessionError> {
        let seq = self.commit_and_announce(draft.in_turn(turn_id))?.seq;
        self.lane.answered.notify_waiters();
        Ok(seq)
    }
}
