use scorel_proto::{EventId, PersistentBody, RewindBody, Seq};

use super::Section;
use super::mutate::Mutation;
use super::travel::invalid;
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError, TargetProblem};

/// `rewind`.
#[derive(Debug)]
pub(super) struct Rewind {
    pub(super) command: MutationCommand,
    /// `None` for the empty conversation.
    pub(super) target: Option<EventId>,
    pub(super) expected_leaf: Option<EventId>,
}

impl Mutation for Rewind {
    type Reply = Seq;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        answer.done()
    }

    fn check_busy(&self, section: &Section<'_>) -> Result<(), SessionError> {
        section.check_at_rest()
    }

    fn check_expected(&self, section: &Section<'_>) -> Result<(), SessionError> {
        section.check_leaf(self.expected_leaf)?;
        section.check_target(self.target)?;
        if self.target == section.view().leaf() {
            return Err(invalid(self.target, TargetProblem::ActiveLeaf));
        }
        if !section.is_on_path(self.target) {
            return Err(invalid(self.target, TargetProblem::OtherBranch));
        }
        section.check_not_summarised(self.target)
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let body = PersistentBody::Rewind(RewindBody {
            target_event_id: self.target,
            files: Vec::new(),
        });
        section.move_leaf(&self.command, body)
    }
}
