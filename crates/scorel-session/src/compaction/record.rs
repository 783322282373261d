//! The records with which a compaction ends.

use scorel_engine::Spent;
use scorel_proto::{CompactionBody, CompactionId, CompactionState, PersistentBody, TurnError};

use crate::SessionError;
use crate::lane::{EventDraft, Section};

/// Ends the compaction that is open, if one is: its task is gone.
pub(crate) fn interrupt(
    section: &mut Section<'_>,
    state: CompactionState,
    error: Option<&TurnError>,
) -> Result<(), SessionError> {
    let Some(open) = section.view().state.compaction.clone() else {
        return Ok(());
    };
    let spent = Spent::default();
    let body = without_summary(open.compaction_id, state, error.cloned(), &spent);
    let draft = EventDraft::new(body).in_turn(open.turn_id);
    section.commit(draft).map(drop)
}

/// The record of a compaction that ended without a summary.
pub(super) fn without_summary(
    id: CompactionId,
    state: CompactionState,
    error: Option<TurnError>,
    spent: &Spent,
) -> PersistentBody {
    PersistentBody::Compaction(CompactionBody {
        error,
        usage: spent.usage(),
        cost: spent.cost(),
        ..CompactionBody::new(id, state)
    })
}
