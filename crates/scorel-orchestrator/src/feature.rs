use std::sync::{Arc, Weak};

use scorel_engine::ToolOutcome;
use scorel_proto::{
    AgentTaskId, OpenCall, PersistentBody, PersistentEvent, SessionId, SessionState,
};
use scorel_session::{Section, SessionError, SessionFeature};

use crate::orchestrator::Orchestrator;
use crate::records::stop_all;
use crate::spawn_text::spawned;
use crate::task_lane::TaskLane as _;

/// Tasks for agents, as the sessions know them.
#[derive(Debug)]
pub struct AgentTaskFeature {
    /// Weak, since the orchestrator owns the sessions and these own their features.
    orchestrator: Weak<Orchestrator>,
}

impl AgentTaskFeature {
    pub const fn new(orchestrator: Weak<Orchestrator>) -> Self {
        Self { orchestrator }
    }

    fn with(&self, f: impl FnOnce(Arc<Orchestrator>)) {
        if let Some(orchestrator) = self.orchestrator.upgrade() {
            f(orchestrator);
        }
    }
}

impl SessionFeature for AgentTaskFeature {
    fn loaded(&self, session_id: SessionId) {
        self.with(|it| it.look_at(session_id));
    }

    fn committed(&self, section: &Section<'_>, event: &PersistentEvent) {
        let lane = section.lane();
        for runtime in changed_by(&event.body) {
            if let Some(info) = lane.runtime(runtime) {
                lane.host().runtime_changed(info);
            }
        }
        self.with(|it| it.committed(event));
    }

    fn is_settled(&self, state: &SessionState) -> bool {
        state.runtimes.are_settled()
    }

    /// The record of the task is what the call did.
    fn outcome_of(&self, state: &SessionState, call: &OpenCall) -> Option<ToolOutcome> {
        let id = state
            .runtimes
            .spawned_by(state.turn_id()?, &call.tool_call_id)?;
        Some(spawned(id, state.runtimes.get(id)?))
    }

    fn stop(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        stop_all(section)
    }

    /// A runtime that was spawned just now is acknowledged, and has to end first.
    fn check_delete(&self, state: &SessionState) -> Result<(), SessionError> {
        match state.runtimes.unfinished().count() {
            0 => Ok(()),
            open => Err(SessionError::HasAgentTasks { open }),
        }
    }

    fn removed(&self, session_id: SessionId) {
        self.with(|it| it.removed(session_id));
    }
}

/// The runtimes that a record changes.
fn changed_by(body: &PersistentBody) -> Vec<AgentTaskId> {
    let stamp = match body {
        PersistentBody::RuntimeSpawned(body) => &body.stamp,
        PersistentBody::RuntimeBoundSession(body) => &body.stamp,
        PersistentBody::RuntimeStatusChanged(body) => &body.stamp,
        PersistentBody::RuntimeSummaryUpdated(body) => &body.stamp,
        PersistentBody::RuntimeFinished(body) => &body.stamp,
        PersistentBody::RuntimeResultDelivered(body) => &body.stamp,
        PersistentBody::RuntimeQueueChanged(body) => {
            let first = std::iter::once(body.stamp.runtime_id);
            return first.chain(body.positions.keys().copied()).collect();
        }
        _ => return Vec::new(),
    };
    vec![stamp.runtime_id]
}
