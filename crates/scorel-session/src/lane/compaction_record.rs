//! The records with which a compaction ends.

use scorel_proto::{
    CompactBody, CompactionBody, CompactionId, CompactionState, PersistentBody, TurnError, TurnId,
};

use scorel_engine::Spent;

use super::{EventDraft, Section};
use crate::SessionError;

/// How a compaction ended, as it is recorded.
#[derive(Debug, Clone)]
pub(crate) enum CompactionResult {
    Made(Box<CompactBody>),
    Ended(Box<CompactionBody>),
}

impl CompactionResult {
    /// A compaction that ended without a summary.
    pub(crate) fn ended(
        id: CompactionId,
        state: CompactionState,
        error: Option<TurnError>,
        spent: Spent,
    ) -> Self {
        Self::Ended(Box::new(CompactionBody {
            error,
            usage: spent.usage(),
            cost: spent.cost(),
            ..CompactionBody::new(id, state)
        }))
    }
}

impl Section<'_> {
    pub(crate) fn end_compaction(
        &mut self,
        turn_id: Option<TurnId>,
        result: &CompactionResult,
    ) -> Result<(), SessionError> {
        let body = match result {
            CompactionResult::Made(body) => PersistentBody::Compact((**body).clone()),
            CompactionResult::Ended(body) => PersistentBody::Compaction((**body).clone()),
        };
        let draft = EventDraft::new(body);
        let draft = match turn_id {
            Some(turn_id) => draft.in_turn(turn_id),
            None => draft,
        };
        self.commit(draft)?;
        Ok(())
    }

    /// Ends the compaction that is open, if one is: its task is gone.
    pub(crate) fn interrupt_compaction(
        &mut self,
        state: CompactionState,
        error: Option<&TurnError>,
    ) -> Result<(), SessionError> {
        let open = self.view().state.compaction.clone();
        let Some(open) = open else {
            return Ok(());
        };
        let spent = Spent::default();
        let result = CompactionResult::ended(open.compaction_id, state, error.cloned(), spent);
        self.end_compaction(open.turn_id, &result)
    }
}
