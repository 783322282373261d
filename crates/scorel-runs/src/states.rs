//! Records of the states that a run's document is found in.

use scorel_proto::{
    CustomBody, PersistentBody, RUN_MODE_KIND, RUN_PHASE_KIND, RUN_STARTED_KIND, RUN_STATE_KIND,
    RunModeData, RunPhase, RunPhaseData, RunReason, RunStartedData, RunStateCause, RunStateData,
    TurnId,
};
use scorel_session::{EventDraft, Section, SessionError};
use serde::Serialize;

use crate::open_run::OpenRun;

/// Records the states that calls have given the document, and then that of now, unless it was recorded last.
pub(crate) fn record_states(
    section: &mut Section<'_>,
    run: &OpenRun,
    otherwise: RunStateCause,
) -> Result<(), SessionError> {
    let known = section.view().state.run.clone();
    for mut state in known.into_iter().flat_map(|known| known.unrecorded) {
        state.completed = state.sha256 == run.text.sha256 && run.current().has_ended();
        record(section, RUN_STATE_KIND, &state)?;
    }
    let node = run.node_id().to_owned();
    let known = known_node(section);
    let from = known.filter(|known| !known.is_empty() && *known != node);
    let data = RunStateData {
        sha256: run.text.sha256.clone(),
        current_node_id: node,
        from,
        label: None,
        completed: run.current().has_ended(),
        cause: otherwise,
        tool_call_id: None,
    };
    record_if_new(section, &data)
}

fn known_node(section: &Section<'_>) -> Option<String> {
    let view = section.view();
    view.state.run.as_ref().map(|run| run.shown.node_id.clone())
}

fn record_if_new(section: &mut Section<'_>, data: &RunStateData) -> Result<(), SessionError> {
    let is_known = {
        let view = section.view();
        let run = view.state.run.as_ref();
        run.is_some_and(|run| run.sha256 == data.sha256)
    };
    match is_known {
        true => Ok(()),
        false => record(section, RUN_STATE_KIND, data),
    }
}

pub(crate) fn record_started(
    section: &mut Section<'_>,
    started: &RunStartedData,
) -> Result<(), SessionError> {
    record(section, RUN_STARTED_KIND, started)
}

pub(crate) fn record_mode(
    section: &mut Section<'_>,
    mode: scorel_proto::RunMode,
) -> Result<(), SessionError> {
    record(section, RUN_MODE_KIND, &RunModeData { mode })
}

/// Records a phase. One that a turn leaves is recorded even if it is the same: it says that the turn was judged.
pub(crate) fn record_phase(
    section: &mut Section<'_>,
    (to, reason): (RunPhase, RunReason),
) -> Result<(), SessionError> {
    let known = {
        let view = section.view();
        let run = view.state.run.as_ref();
        run.map(|run| (run.shown.phase, run.shown.reason, run.is_undecided))
    };
    match known {
        None => Ok(()),
        Some((from, known, false)) if (from, known) == (to, reason) => Ok(()),
        Some((from, _, _)) => {
            record(section, RUN_PHASE_KIND, &RunPhaseData { from, to, reason })?;
            section.announce();
            Ok(())
        }
    }
}

pub(crate) fn record(
    section: &mut Section<'_>,
    kind: &str,
    data: &impl Serialize,
) -> Result<(), SessionError> {
    let data = serde_json::to_value(data);
    let data = data.map_err(|error| SessionError::Internal(error.to_string()))?;
    let turn: Option<TurnId> = section.view().state.turn_id();
    let body = PersistentBody::Custom(CustomBody {
        kind: kind.to_owned(),
        data,
    });
    section
        .commit(EventDraft::new(body).in_turn(turn))
        .map(drop)
}
