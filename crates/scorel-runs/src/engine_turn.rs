use scorel_proto::{ENGINE_TURN_KIND, EngineTurnBody};
use scorel_session::{Section, SessionError};

use crate::states::record;

/// Records the last model call of the session's run, unless it has its record: before the next one, and behind the outcome
/// of its turn. What a crash has left out is recorded by the next of these steps.
pub(crate) fn record_engine_turn(section: &mut Section<'_>) -> Result<(), SessionError> {
    match due(section) {
        Some(call) => record(section, ENGINE_TURN_KIND, &call),
        None => Ok(()),
    }
}

/// The record that is missing.
fn due(section: &Section<'_>) -> Option<EngineTurnBody> {
    let view = section.view();
    let run = view.state.run.as_ref()?;
    let due = run.calls.due.as_ref()?;
    let has_ended = view.state.turn_id() != Some(due.turn_id);
    let phase_after = has_ended.then_some(run.shown.phase);
    Some(EngineTurnBody::of(due, run.calls.recorded, phase_after))
}
