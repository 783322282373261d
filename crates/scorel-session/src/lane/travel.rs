//! The checks that moves of the leaf share: `rewind`, `branch`, and messages with a parent.

use scorel_proto::{CompactBody, EventId, NodeKind, PathNode, PersistentBody, covered_by};

use super::Section;
use super::published::PublishedLane;
use crate::{SessionError, TargetProblem};

impl Section<'_> {
    /// Fails unless the session is at rest: a turn that runs has the leaf under it, and a queued
    /// message would continue another conversation than its author saw.
    pub(super) fn check_at_rest(&self) -> Result<(), SessionError> {
        let has_work = {
            let view = self.view();
            view.state.turn.is_some() || !view.state.queue.items.is_empty()
        };
        if has_work || self.lane.has_job() {
            return Err(self.busy());
        }
        Ok(())
    }

    /// Fails while a job runs or messages wait: a job cannot begin.
    ///
    /// # Errors
    ///
    /// [`SessionError::Busy`].
    pub fn check_idle(&self) -> Result<(), SessionError> {
        match self.is_busy() {
            true => Err(self.busy()),
            false => Ok(()),
        }
    }

    /// The error of a call that a busy session refuses.
    pub(super) fn busy(&self) -> SessionError {
        let published = self.published();
        SessionError::Busy {
            phase: published.phase(),
            queued: published.view().state.queue.items.len(),
        }
    }

    pub(super) fn check_leaf(&self, expected: Option<EventId>) -> Result<(), SessionError> {
        let active = self.view().leaf();
        if active == expected {
            return Ok(());
        }
        Err(SessionError::LeafMoved { active })
    }

    /// Returns whether `target` is on the active path; the empty conversation is on every path.
    pub(super) fn is_on_path(&self, target: Option<EventId>) -> bool {
        let view = self.view();
        let mut path = view.tree.up_from(view.leaf());
        target.is_none_or(|id| path.any(|node| node.id == id))
    }

    /// Fails if the newest compaction of the active path has summarised `target`, which is on that
    /// path. From there on the model would be shown in full what did not fit into its context.
    pub(super) fn check_not_summarised(&self, target: Option<EventId>) -> Result<(), SessionError> {
        let Some(barrier) = self.barrier_above(target) else {
            return Ok(());
        };
        let compact = self.read_compact(barrier)?;
        let through = compact.compacted_through;
        let view = self.view();
        let up = view.tree.up_from(Some(barrier.id)).skip(1);
        let mut before: Vec<EventId> = up.map(|node| node.id).collect();
        before.reverse();
        let covered = covered_by(through, before.iter().copied());
        if target.is_some_and(|target| before[covered..].contains(&target)) {
            return Ok(());
        }
        Err(SessionError::Summarised {
            compacted_through: through,
        })
    }

    /// The newest compaction of the active path, unless `target` comes after it.
    fn barrier_above(&self, target: Option<EventId>) -> Option<PathNode> {
        let view = self.view();
        view.tree
            .up_from(view.leaf())
            .take_while(|node| Some(node.id) != target)
            .find(|node| node.kind == NodeKind::Compact)
    }

    fn read_compact(&self, node: PathNode) -> Result<CompactBody, SessionError> {
        match self.lane.read_event(node.seq)?.map(|event| event.body) {
            Some(PersistentBody::Compact(body)) => Ok(body),
            _ => Err(SessionError::Filesystem(
                "the summary of the conversation is damaged in the log".to_owned(),
            )),
        }
    }

    /// Tells the host that the conversation goes on from another place.
    pub(crate) fn leaf_moved(&self) {
        if let Some(resources) = self.lane.opened_resources() {
            resources.leaf_moved();
        }
    }
}

impl PublishedLane<'_> {
    /// Fails unless a finished turn ends at `target`, or nothing does (`None`, the empty
    /// conversation).
    pub(crate) fn check_target(&self, target: Option<EventId>) -> Result<(), SessionError> {
        let Some(id) = target else { return Ok(()) };
        let tree = &self.view().tree;
        if tree.is_turn_end(id) {
            Ok(())
        } else if tree.contains(id) {
            Err(invalid(target, TargetProblem::NotTurnEnd))
        } else {
            Err(invalid(target, TargetProblem::Unknown))
        }
    }
}

pub(super) const fn invalid(event_id: Option<EventId>, problem: TargetProblem) -> SessionError {
    SessionError::InvalidTarget { event_id, problem }
}
