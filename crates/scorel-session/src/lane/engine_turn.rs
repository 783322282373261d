use scorel_proto::{CustomBody, ENGINE_TURN_KIND, EngineTurnBody, PersistentBody, TurnId};

use super::{EventDraft, Section};
use crate::SessionError;

impl Section<'_> {
    /// Records the last model call of a run, unless it has its record: before the next one, and behind the outcome of
    /// its turn. What a crash has left out is recorded by the next of these steps.
    pub(crate) fn record_engine_turn(&mut self) -> Result<(), SessionError> {
        let Some((record, turn_id)) = self.engine_turn_due() else {
            return Ok(());
        };
        let data = serde_json::to_value(&record);
        let data = data.map_err(|error| SessionError::Internal(error.to_string()))?;
        let draft = EventDraft::new(PersistentBody::Custom(CustomBody {
            kind: ENGINE_TURN_KIND.to_owned(),
            data,
        }));
        self.commit(match turn_id {
            Some(turn_id) => draft.in_turn(turn_id),
            None => draft,
        })
        .map(drop)
    }

    /// The record that is missing, with the turn that is open.
    fn engine_turn_due(&self) -> Option<(EngineTurnBody, Option<TurnId>)> {
        let view = self.view();
        let run = view.state.run.as_ref()?;
        let due = run.calls.due.as_ref()?;
        let open = view.state.turn_id();
        let phase_after = (open != Some(due.turn_id)).then_some(run.shown.phase);
        let record = EngineTurnBody::of(due, run.calls.recorded, phase_after);
        Some((record, open))
    }
}
