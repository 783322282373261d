//! Recording the end of a runtime, and delivering its result.

use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{
    AgentTask, AgentTaskStamp, Block, EventId, PersistentBody, ResultDelivery, RuntimeFinishedBody,
    RuntimeSpawnedBody,
};
use scorel_session::{Lane, Section, SessionError};
use tokio::time::timeout;

use super::AgentTaskStep;
use crate::error::OrchestratorError;
use crate::outcome::{INLINE, beginning};
use crate::records::{AgentTaskEnding, deliver_result, finish};
use crate::result_text::result_text;
use crate::task_lane::TaskLane as _;
use crate::worktree_look::WorktreeLook;

/// The time limit for looking at a worktree.
const LOOK: Duration = Duration::from_secs(5);

impl AgentTaskStep<'_> {
    /// The result, then the end. In this order a crash in between leaves a runtime that has not ended, and
    /// the result is found in the queue. A result that a call waits for comes with its end instead.
    pub(super) async fn finish(
        &self,
        runtime: &AgentTask,
        mut ending: AgentTaskEnding,
    ) -> Result<(), OrchestratorError> {
        if ending.last_message.len() > INLINE {
            let whole = std::mem::take(&mut ending.last_message);
            beginning(&whole, INLINE).clone_into(&mut ending.last_message);
            ending.blob = Some(self.lane.put_text(whole).await?);
        }
        if !self.is_claimed() {
            // The record that the end will have, but for its time: the text of a result does not tell it.
            let stamp = AgentTaskStamp {
                runtime_id: self.id,
                version: runtime.version,
                status: ending.status,
                timestamp: 0,
            };
            self.deliver(runtime, &ending.clone().body(stamp)).await?;
        }
        let id = self.id;
        let finish = move |section: &mut Section<'_>| finish(section, id, ending.clone(), None);
        self.lane.persist(finish).await?;
        let mut state = self.orchestrator.state();
        state.prompts.remove(&self.id);
        state.looks.remove(&self.id);
        state.summaries.forget(self.id);
        Ok(())
    }

    /// Delivers the result of a runtime whose end is recorded: a call that was to give it has not.
    pub(super) async fn deliver_finished(
        &self,
        runtime: &AgentTask,
    ) -> Result<(), OrchestratorError> {
        let Some(seq) = runtime.finished_seq else {
            return Ok(());
        };
        if let PersistentBody::RuntimeFinished(body) = self.lane.record(seq).await?.body {
            self.deliver(runtime, &body).await?;
        }
        Ok(())
    }

    pub(super) async fn deliver(
        &self,
        runtime: &AgentTask,
        body: &RuntimeFinishedBody,
    ) -> Result<(), OrchestratorError> {
        if runtime.deliver == ResultDelivery::None {
            return Ok(());
        }
        let agent = (runtime.agent_type.as_str(), runtime.title.as_str());
        let worktree = self.orchestrator.worktree_of(runtime.session_id).await;
        let text = result_text(self.id, agent, body, worktree.as_ref());
        let (id, hold) = (self.id, self.is_ending());
        let content = vec![Block::text(text)];
        let deliver =
            move |section: &mut Section<'_>| deliver_result(section, id, content.clone(), hold);
        Ok(self.lane.persist(deliver).await?)
    }

    /// A sentence on the work in the session's worktree, if it has one. [`WorktreeLook::Going`] until git has
    /// ended: other runtimes of the parent do not wait for it, so a task of its own looks and has the runtime
    /// reconciled again. A repository that is too large to be looked at in time is left out.
    pub(super) fn left_undone(&self, child: &Lane) -> WorktreeLook {
        let (Some(worktree), Some(orchestrator)) = (child.worktree(), self.orchestrator.handle())
        else {
            return WorktreeLook::Done(None);
        };
        let known = self.orchestrator.state().looks.get(&self.id).cloned();
        if let Some(known) = known {
            return known;
        }
        let (parent, id, mark) = (self.lane.id(), self.id, Arc::new(()));
        let going = WorktreeLook::Going(Arc::clone(&mark));
        self.orchestrator.state().looks.insert(id, going.clone());
        let host = Arc::clone(self.orchestrator.host());
        tokio::spawn(async move {
            let looked = scorel_engine::spawn_blocking(move || host.left_undone(&worktree));
            let note = timeout(LOOK, looked).await.ok().and_then(Result::ok);
            // The runtime may have gone on, have ended for another reason, or be at rest anew.
            if let Some(look) = orchestrator.state().looks.get_mut(&id)
                && matches!(look, WorktreeLook::Going(of) if Arc::ptr_eq(of, &mark))
            {
                *look = WorktreeLook::Done(note.flatten());
            }
            orchestrator.look_at(parent);
        });
        going
    }

    /// Returns whether the session that gave the task is itself being deleted, or stopped by the one above it.
    /// Results begin no turn there.
    fn is_ending(&self) -> bool {
        let session = self.lane.id();
        let above = {
            let state = self.orchestrator.state();
            if state.closing.contains(&session) {
                return true;
            }
            state.children.get(&session).copied()
        };
        let above = above.and_then(|above| self.orchestrator.sessions().loaded_lane(above));
        let is_stopped =
            |runtime: &AgentTask| runtime.stopping && runtime.session_id == Some(session);
        above.is_some_and(|above| {
            above.runtimes(|all| all.unfinished().any(|(_, runtime)| is_stopped(runtime)))
        })
    }

    /// Returns whether an open call of the session gives the result to the model.
    pub(super) fn is_claimed(&self) -> bool {
        let open = self.lane.open_calls();
        let mut state = self.orchestrator.state();
        state.claims.of(self.lane.id(), &open).contains(&self.id)
    }

    /// The record that spawned the runtime.
    pub(super) async fn spawned(
        &self,
        runtime: &AgentTask,
    ) -> Result<(EventId, RuntimeSpawnedBody), OrchestratorError> {
        let gone = || SessionError::Internal(format!("{} has no first record", self.id));
        let seq = runtime.spawned_seq.ok_or_else(gone)?;
        let record = self.lane.record(seq).await?;
        match record.body {
            PersistentBody::RuntimeSpawned(body) => Ok((record.id, body)),
            _ => Err(gone().into()),
        }
    }
}
