//! What a session records of its runtimes, the tasks that it has given to agents.
//!
//! In: decisions of the orchestrator, one at a time. Out: `runtime_*` records, and results in the queue. Each
//! step is one section and looks at the fold first: repeated after a crash, it finds what it has done and
//! writes nothing.

mod child;
mod deliver;
mod records;
mod report;
mod spawn;
mod stop;

pub use child::{ChildState, LaneChanges};
pub use records::{AgentTaskChange, AgentTaskEnding, AgentTaskPlaces};
pub use report::RunReport;
pub use spawn::{SpawnLimits, SpawnRequest, SpawnTarget};

use std::sync::Arc;

use scorel_proto::{
    AgentTask, AgentTaskId, AgentTaskInfo, AgentTaskStamp, AgentTaskStatus, AgentTasks, Block,
    CostTotal, PersistentBody, PersistentEvent, Seq, SpawnRuntimeResult,
};

use super::{EventDraft, Lane, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

impl Lane {
    /// Reads the runtimes of the session.
    pub fn runtimes<R>(&self, read: impl FnOnce(&AgentTasks) -> R) -> R {
        self.view(|view| read(&view.state.runtimes))
    }

    /// The runtimes for which something is left to do, as of an event.
    #[must_use]
    pub fn unsettled_runtimes(&self) -> (Seq, Vec<(AgentTaskId, AgentTask)>) {
        self.view(|view| {
            let unsettled = view.state.runtimes.unsettled();
            let unsettled = unsettled.map(|(id, runtime)| (id, runtime.clone()));
            (view.state.last_seq, unsettled.collect())
        })
    }

    /// A runtime of the session, as clients see it.
    #[must_use]
    pub fn runtime(&self, id: AgentTaskId) -> Option<AgentTaskInfo> {
        let owner = (self.id(), self.header().project_id);
        self.runtimes(|all| Some(AgentTaskInfo::new(id, all.get(id)?, owner)))
    }

    /// What the session and those of its runtimes that have ended have cost.
    #[must_use]
    pub fn cost_with_runtimes(&self) -> CostTotal {
        self.view(|view| {
            let mut cost = view.state.cost;
            cost += view.state.runtimes.cost();
            cost
        })
    }

    /// Records that an agent has a task.
    ///
    /// # Errors
    ///
    /// [`SessionError::SpawnRefused`], [`SessionError::AgentTaskNotFound`] or [`SessionError::Conflict`] for a
    /// runtime that cannot be continued, otherwise see [`SessionError`]. Nothing has changed then.
    pub async fn spawn_runtime(
        self: &Arc<Self>,
        request: SpawnRequest,
    ) -> Result<SpawnRuntimeResult, SessionError> {
        self.mutate(request).await
    }

    /// The answer to a command that has given an agent a task before.
    ///
    /// # Errors
    ///
    /// [`SessionError::Conflict`] if the command's id was used for another command.
    pub fn spawned_before(
        &self,
        command: &MutationCommand,
    ) -> Result<Option<SpawnRuntimeResult>, SessionError> {
        let published = self.published();
        let answer = published.state().fold.receipts.find(command)?;
        Ok(match answer {
            Some(ReceiptAnswer::Spawned(answer)) => Some(*answer),
            _ => None,
        })
    }

    /// Stops a runtime; a queued one ends at once. `None` if it had already ended.
    ///
    /// # Errors
    ///
    /// [`SessionError::AgentTaskNotFound`], otherwise see [`SessionError`].
    pub async fn stop_runtime(
        self: &Arc<Self>,
        command: MutationCommand,
        id: AgentTaskId,
    ) -> Result<Option<Seq>, SessionError> {
        self.mutate(stop::StopRuntime { command, id }).await
    }

    /// Has every runtime of the session end. Waits for a log that cannot be written.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn stop_runtimes(self: &Arc<Self>) -> Result<(), SessionError> {
        self.persist(|section| section.stop_runtimes()).await
    }

    /// Moves runtimes that wait to other places, for a client.
    ///
    /// # Errors
    ///
    /// [`SessionError::Conflict`] if none of them waits, otherwise see [`SessionError`].
    pub async fn move_runtimes(
        self: &Arc<Self>,
        command: MutationCommand,
        id: AgentTaskId,
        places: AgentTaskPlaces,
    ) -> Result<Seq, SessionError> {
        let moved = records::MoveAgentTasks {
            command,
            id,
            places,
        };
        self.mutate(moved).await
    }

    /// Whether a command was carried out before.
    ///
    /// # Errors
    ///
    /// [`SessionError::Conflict`] if the command's id was used for another command.
    pub fn has_answered(&self, command: &MutationCommand) -> Result<bool, SessionError> {
        let published = self.published();
        let answer = published.state().fold.receipts.find(command)?;
        Ok(answer.is_some())
    }

    /// Records that the session of a runtime exists.
    ///
    /// # Errors
    ///
    /// See [`SessionError`]. As for all of these steps, a log that cannot be written is waited for.
    pub async fn bind_runtime(self: &Arc<Self>, id: AgentTaskId) -> Result<(), SessionError> {
        self.persist(move |section| section.bind_runtime(id)).await
    }

    /// Records a change of a runtime's status. Returns whether the runtime may continue, that is, has
    /// not ended.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn change_runtime(
        self: &Arc<Self>,
        id: AgentTaskId,
        change: AgentTaskChange,
    ) -> Result<bool, SessionError> {
        self.persist(move |section| section.change_runtime(id, &change))
            .await
    }

    /// Records the places of runtimes that wait.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn place_runtimes(
        self: &Arc<Self>,
        places: AgentTaskPlaces,
    ) -> Result<(), SessionError> {
        self.persist(move |section| section.place_runtimes(&places, None).map(drop))
            .await
    }

    /// Adds the result of a runtime to the queue, unless the model has it or is about to get it. With
    /// `hold` it begins no turn.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn deliver_result(
        self: &Arc<Self>,
        id: AgentTaskId,
        content: Vec<Block>,
        hold: bool,
    ) -> Result<(), SessionError> {
        self.persist(move |section| section.deliver_result(id, content.clone(), hold))
            .await
    }

    /// Records the end of a runtime.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn finish_runtime(
        self: &Arc<Self>,
        id: AgentTaskId,
        ending: AgentTaskEnding,
    ) -> Result<(), SessionError> {
        self.persist(move |section| section.finish_runtime(id, ending.clone()).map(drop))
            .await
    }

    /// Records that the model has the result of a runtime, once it has.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn record_delivery(self: &Arc<Self>, id: AgentTaskId) -> Result<(), SessionError> {
        self.persist(move |section| section.record_delivery(id))
            .await
    }
}

impl Section<'_> {
    fn known_runtime(&self, id: AgentTaskId) -> Result<AgentTask, SessionError> {
        let known = self.view().state.runtimes.get(id).cloned();
        known.ok_or(SessionError::AgentTaskNotFound(id))
    }

    /// The stamp of a runtime's next event.
    fn stamp(&self, runtime_id: AgentTaskId, status: AgentTaskStatus) -> AgentTaskStamp {
        AgentTaskStamp {
            runtime_id,
            version: self.view().state.runtimes.next_version(runtime_id),
            status,
            timestamp: self.lane.now_ms(),
        }
    }

    /// Tells the host feed of the runtimes that an event changes.
    pub(super) fn tell_of_runtimes(&self, event: &PersistentEvent) {
        let ids = changed_by(&event.body);
        let host = &self.lane.shared.host;
        for runtime in ids.into_iter().filter_map(|id| self.lane.runtime(id)) {
            host.runtime_changed(runtime);
        }
    }

    fn commit_runtime(&mut self, body: PersistentBody) -> Result<Seq, SessionError> {
        let seq = self.commit(EventDraft::new(body))?.seq;
        self.announce();
        Ok(seq)
    }
}

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
