use scorel_proto::{
    AgentTask, AgentTaskId, AgentTaskStatus, PersistentBody, ResultDelivery, RuntimeSpawnedBody,
    SessionId, SpawnRefusal, SpawnRuntimeResult,
};

use scorel_session::{EventDraft, Mutation, MutationCommand, ReceiptAnswer, Section, SessionError};

use super::{known, stamp};
use crate::agents::OrchestratorLimits;

/// A task for an agent.
#[derive(Debug, Clone)]
pub struct SpawnOrder {
    pub command: MutationCommand,
    pub agent_type: String,
    pub prompt: String,
    pub title: Option<String>,
    pub workflow_id: Option<String>,
    /// A runtime that has ended: the agent goes on in its session.
    pub continued: Option<AgentTaskId>,
    pub deliver: ResultDelivery,
    /// The call of the model that asks for it.
    pub tool_call_id: Option<String>,
}

/// An order with what its parent's project says.
#[derive(Debug, Clone)]
pub(crate) struct SpawnRequest {
    /// Its command has no id for a call of the model, which has `tool_call_id` instead: repeated, the call
    /// gets the runtime that it has made.
    pub(crate) order: SpawnOrder,
    pub(crate) runtime_id: AgentTaskId,
    /// That of the agent, unless it goes on in the session of another task.
    pub(crate) session_id: SessionId,
    pub(crate) title: String,
    pub(crate) limits: OrchestratorLimits,
    /// The reason why there is to be no runtime. Only a command that was carried out before gets its answer then.
    pub(crate) refused: Option<(SpawnRefusal, Option<u64>)>,
}

impl Mutation for SpawnRequest {
    type Reply = SpawnRuntimeResult;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.order.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        match answer {
            ReceiptAnswer::Spawned(answer) => Some(*answer),
            _ => None,
        }
    }

    fn check_expected(&self, section: &Section<'_>) -> Result<(), SessionError> {
        if made_by(section, self).is_some() {
            return Ok(());
        }
        if let Some((kind, limit)) = self.refused {
            return Err(SessionError::SpawnRefused { kind, limit });
        }
        let view = section.view();
        let refused = |kind, limit: Option<u32>| SessionError::SpawnRefused {
            kind,
            limit: limit.map(u64::from),
        };
        if view.state.archived {
            return Err(refused(SpawnRefusal::Archived, None));
        }
        let limits = self.limits;
        let runtimes = &view.state.runtimes;
        if runtimes.unfinished().count() >= limits.max_open as usize {
            return Err(refused(SpawnRefusal::TooMany, Some(limits.max_open)));
        }
        let by_call = self.order.tool_call_id.is_some();
        let turn_id = view.state.turn_id().filter(|_| by_call);
        let spawned = turn_id.map_or(0, |turn_id| runtimes.spawned_in(turn_id));
        if spawned >= limits.max_spawns_per_turn {
            let limit = Some(limits.max_spawns_per_turn);
            return Err(refused(SpawnRefusal::TooMany, limit));
        }
        drop(view);
        session_for(section, self).map(drop)
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        if let Some(made) = made_by(section, &self) {
            return Ok(made);
        }
        section.enter_active()?;
        let session_id = session_for(section, &self)?;
        let order = self.order;
        let stamp = stamp(section, self.runtime_id, AgentTaskStatus::Queued);
        let turn_id = section.view().state.turn_id();
        let turn_id = turn_id.filter(|_| order.tool_call_id.is_some());
        let body = PersistentBody::RuntimeSpawned(RuntimeSpawnedBody {
            stamp,
            agent_type: order.agent_type,
            session_id,
            continued: order.continued.is_some(),
            workflow_id: order.workflow_id,
            title: self.title,
            prompt: order.prompt,
            deliver: order.deliver,
            tool_call_id: order.tool_call_id,
            started_at: stamp.timestamp,
        });
        let mut draft = EventDraft::new(body).by(&order.command);
        if let Some(turn_id) = turn_id {
            draft = draft.in_turn(turn_id);
        }
        let seq = section.commit(draft)?.seq;
        section.announce();
        Ok(SpawnRuntimeResult {
            runtime_id: self.runtime_id,
            session_id,
            seq,
        })
    }
}

/// The runtime that the call of a request has made.
fn made_by(section: &Section<'_>, request: &SpawnRequest) -> Option<SpawnRuntimeResult> {
    let view = section.view();
    let (turn_id, call) = (
        view.state.turn_id()?,
        request.order.tool_call_id.as_deref()?,
    );
    let runtimes = &view.state.runtimes;
    let runtime_id = runtimes.spawned_by(turn_id, call)?;
    let runtime = runtimes.get(runtime_id)?;
    Some(SpawnRuntimeResult {
        runtime_id,
        session_id: runtime.session_id?,
        seq: runtime.spawned_seq?,
    })
}

fn session_for(section: &Section<'_>, request: &SpawnRequest) -> Result<SessionId, SessionError> {
    let Some(id) = request.order.continued else {
        return Ok(request.session_id);
    };
    let runtime = known(section, id)?;
    // Another agent would work with the model, the files and the permissions of this one.
    if runtime.agent_type != request.order.agent_type {
        let text = format!("runtime {id} is one of `{}`", runtime.agent_type);
        return Err(SessionError::Conflict(text));
    }
    let session_id = runtime.session_id.filter(|_| runtime.bound);
    let Some(session_id) = session_id else {
        let text = format!("runtime {id} never had a session that could go on");
        return Err(SessionError::Conflict(text));
    };
    let view = section.view();
    let works_there = |runtime: &AgentTask| runtime.session_id == Some(session_id);
    let mut unfinished = view.state.runtimes.unfinished();
    match unfinished.find(|(_, runtime)| works_there(runtime)) {
        Some((busy, _)) => {
            let text = format!("runtime {busy} works in that session and has not ended");
            Err(SessionError::Conflict(text))
        }
        None => Ok(session_id),
    }
}
