use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{
    CustomBody, EngineTurns, PersistentBody, PersistentEvent, RUN_MODE_KIND, RUN_PHASE_KIND,
    RUN_STARTED_KIND, RUN_STATE_KIND, RunModeData, RunPackage, RunPhase, RunPhaseData, RunReason,
    RunStartedData, RunStateData, SessionRun, TurnId,
};

/// The run that a session belongs to, folded from the records of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoldedRun {
    /// What clients are shown of it.
    pub shown: SessionRun,
    /// The package that it is bound to.
    pub package: RunPackage,
    /// The SHA-256 of the document, as it was seen last; empty if it was not seen yet.
    pub sha256: String,
    /// The newest turn of the session.
    pub turn_id: Option<TurnId>,
    /// True if that turn has changed the document.
    pub has_changed: bool,
    /// The turns that have ended, one after another, at the current node.
    pub turns_at_node: u32,
    /// True if a turn has ended whose consequence for the run is not recorded.
    pub is_undecided: bool,
    /// The model calls of the session.
    #[serde(default)]
    pub calls: EngineTurns,
}

impl FoldedRun {
    /// Folds the next event. What a clone copied was of the run of another session.
    pub(super) fn fold(run: &mut Option<Self>, event: &PersistentEvent) {
        if event.origin.is_some() {
            return;
        }
        if let PersistentBody::Custom(body) = &event.body
            && let Some(started) = data::<RunStartedData>(body, RUN_STARTED_KIND)
        {
            *run = Some(Self::started(started));
        }
        let Some(run) = run else { return };
        if event.turn_id.is_some() && event.turn_id != run.turn_id {
            run.turn_id = event.turn_id;
            run.has_changed = false;
        }
        run.calls.fold(event, &run.shown);
        match &event.body {
            PersistentBody::Custom(body) => run.told(event, body),
            PersistentBody::TurnOutcome(_) => {
                run.is_undecided = true;
                run.turns_at_node = run.turns_at_node.saturating_add(1);
            }
            _ => {}
        }
    }

    fn started(started: RunStartedData) -> Self {
        Self {
            shown: SessionRun {
                run_id: started.run_id,
                workflow: started.workflow,
                phase: RunPhase::Running,
                reason: match started.resumed_from {
                    None => RunReason::Started,
                    Some(_) => RunReason::Resumed,
                },
                node_id: String::new(),
                mode: crate::RunMode::Run,
            },
            package: started.package,
            sha256: String::new(),
            turn_id: None,
            has_changed: false,
            turns_at_node: 0,
            is_undecided: false,
            calls: EngineTurns::default(),
        }
    }

    fn told(&mut self, event: &PersistentEvent, body: &CustomBody) {
        if let Some(state) = data::<RunStateData>(body, RUN_STATE_KIND) {
            if state.current_node_id != self.shown.node_id {
                self.turns_at_node = 0;
            }
            self.sha256 = state.sha256;
            self.shown.node_id = state.current_node_id;
            self.has_changed |= event.turn_id.is_some();
        } else if let Some(phase) = data::<RunPhaseData>(body, RUN_PHASE_KIND) {
            self.shown.phase = phase.to;
            self.shown.reason = phase.reason;
            self.is_undecided = false;
        } else if let Some(mode) = data::<RunModeData>(body, RUN_MODE_KIND) {
            self.shown.mode = mode.mode;
        }
    }
}

/// The data of an event of a kind. Data that cannot be read is of a later version, and says nothing.
fn data<T: DeserializeOwned>(body: &CustomBody, kind: &str) -> Option<T> {
    (body.kind == kind).then(|| T::deserialize(&body.data).ok())?
}
