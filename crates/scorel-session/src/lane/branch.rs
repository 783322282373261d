use scorel_proto::{BranchBody, EventId, PersistentBody, Seq};

use super::Section;
use super::mutate::Mutation;
use super::travel::invalid;
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError, TargetProblem};

/// `branch`.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) command: MutationCommand,
    pub(super) leaf: EventId,
    pub(super) expected_leaf: Option<EventId>,
}

impl Mutation for Branch {
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

    /// No compaction is in the way: what the active path has summarised is on that path.
    fn check_expected(&self, section: &Section<'_>) -> Result<(), SessionError> {
        section.check_leaf(self.expected_leaf)?;
        let target = Some(self.leaf);
        section.check_target(target)?;
        if target == section.view().leaf() {
            return Err(invalid(target, TargetProblem::ActiveLeaf));
        }
        if section.is_on_path(target) {
            return Err(invalid(target, TargetProblem::SameBranch));
        }
        Ok(())
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let body = PersistentBody::Branch(BranchBody {
            leaf_event_id: self.leaf,
            files: Vec::new(),
        });
        section.move_leaf(&self.command, body)
    }
}
