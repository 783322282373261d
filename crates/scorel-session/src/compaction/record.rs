//! The records with which a compaction ends.

use scorel_proto::{
    CompactBody, CompactionBody, CompactionId, CompactionState, PersistentBody, TurnError, TurnId,
};

use scorel_engine::Spent;

use crate::SessionError;
use crate::lane::{EventDraft, Section};

/// The end of a compaction, as it is recorded.
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

/// Commits the end of a compaction.
pub(crate) fn end(
    section: &mut Section<'_>,
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
    section.commit(draft).map(drop)
}

/// Ends the compaction that is open, if one is: its task is gone.
pub(crate) fn interrupt(
    section: &mut Section<'_>,
    state: CompactionState,
    error: Option<&TurnError>,
) -> Result<(), SessionError> {
    let open = section.view().state.compaction.clone();
    let Some(open) = open else {
        return Ok(());
    };
    let spent = Spent::default();
    let result = CompactionResult::ended(open.compaction_id, state, error.cloned(), spent);
    end(section, open.turn_id, &result)
}
