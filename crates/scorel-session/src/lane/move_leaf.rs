use scorel_proto::{BranchBody, EventId, FileChange, PersistentBody, RewindBody, Seq};

use super::mutate::Mutation;
use super::travel::invalid;
use super::{EventDraft, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError, TargetProblem};

/// Where a move of the leaf goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafTarget {
    /// `rewind`: an ancestor of the leaf; `None` for the empty conversation.
    Ancestor(Option<EventId>),
    /// `branch`: the end of another branch.
    Branch(EventId),
}

/// `rewind` and `branch`: moves the leaf to the end of a finished turn.
///
/// Refused, in this order, with [`SessionError::Busy`], [`SessionError::LeafMoved`],
/// [`SessionError::InvalidTarget`] and, for an ancestor, [`SessionError::Summarised`].
#[derive(Debug, Clone)]
pub struct MoveLeaf {
    pub command: MutationCommand,
    pub target: LeafTarget,
    pub expected_leaf: Option<EventId>,
}

impl Mutation for MoveLeaf {
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
        let target = self.target.event();
        section.published().check_target(target)?;
        if target == section.view().leaf() {
            return Err(invalid(target, TargetProblem::ActiveLeaf));
        }
        match (self.target, section.is_on_path(target)) {
            (LeafTarget::Ancestor(_), true) => section.check_not_summarised(target),
            (LeafTarget::Ancestor(_), false) => Err(invalid(target, TargetProblem::OtherBranch)),
            // No compaction is in the way: what the active path has summarised is on that path.
            (LeafTarget::Branch(_), false) => Ok(()),
            (LeafTarget::Branch(_), true) => Err(invalid(target, TargetProblem::SameBranch)),
        }
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let seq = section.commit(self.draft(Vec::new()))?.seq;
        section.leaf_moved();
        section.announce();
        Ok(seq)
    }
}

impl MoveLeaf {
    /// The record of the move, and of the files that are restored with it.
    pub(crate) fn draft(&self, files: Vec<FileChange>) -> EventDraft {
        let body = match self.target {
            LeafTarget::Ancestor(target_event_id) => PersistentBody::Rewind(RewindBody {
                target_event_id,
                files,
            }),
            LeafTarget::Branch(leaf_event_id) => PersistentBody::Branch(BranchBody {
                leaf_event_id,
                files,
            }),
        };
        EventDraft::new(body).by(&self.command)
    }
}

impl LeafTarget {
    /// The new leaf.
    pub(crate) const fn event(self) -> Option<EventId> {
        match self {
            Self::Ancestor(event) => event,
            Self::Branch(event) => Some(event),
        }
    }
}
