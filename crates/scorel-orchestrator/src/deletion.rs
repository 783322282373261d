//! Deleting sessions that have unfinished runtimes, and the sessions of such runtimes: the runtimes are
//! stopped first, or the deletion is refused.

use std::sync::Arc;

use scorel_proto::{AgentTaskId, ClientId, SessionId};
use scorel_session::{Deletion, Lane, MutationCommand, SessionError};

use crate::child_state::ChildState;
use crate::error::OrchestratorError;
use crate::orchestrator::Orchestrator;
use crate::records::{StopRuntime, stop_all};
use crate::task_lane::TaskLane as _;

/// How often a session is deleted that is busy again each time.
const DELETE_ATTEMPTS: u32 = 10;

impl Orchestrator {
    /// Fails if the session has runtimes that have not ended, or is the session of one.
    ///
    /// # Errors
    ///
    /// [`SessionError::HasAgentTasks`] or [`SessionError::WorksFor`].
    pub async fn check_unused(&self, id: SessionId) -> Result<(), OrchestratorError> {
        let Some(lane) = self.usable(id).await? else {
            return Ok(());
        };
        let open = lane.runtimes(|all| all.unfinished().count());
        if open > 0 {
            return Err(SessionError::HasAgentTasks { open }.into());
        }
        match self.runtime_of(&lane).await? {
            Some((_, id)) => Err(SessionError::WorksFor(id).into()),
            None => Ok(()),
        }
    }

    /// The sessions of the runtimes of a session that have not ended, and of theirs.
    ///
    /// # Errors
    ///
    /// See [`OrchestratorError`].
    pub async fn open_children(&self, id: SessionId) -> Result<Vec<SessionId>, OrchestratorError> {
        self.below(id, false).await
    }

    /// As [`Self::open_children`]. With `quiet`, cancels each turn before it reads its session, topmost
    /// first, so that none can give further tasks.
    async fn below(&self, id: SessionId, quiet: bool) -> Result<Vec<SessionId>, OrchestratorError> {
        let (mut found, mut due) = (Vec::new(), vec![id]);
        while let Some(id) = due.pop() {
            let Some(lane) = self.usable(id).await? else {
                continue;
            };
            if quiet {
                let _cancelled = lane.cancel(None);
                idle(&lane).await;
            }
            let open: Vec<SessionId> = lane.runtimes(|all| {
                let unfinished = all.unfinished();
                unfinished
                    .filter_map(|(_, runtime)| runtime.session_id)
                    .collect()
            });
            found.extend(&open);
            due.extend(open);
        }
        Ok(found)
    }

    /// Stops the runtimes of a session and the runtime that it is the session of, waits for their ends,
    /// and deletes `children`, their sessions, with the sessions spawned below them since. May be
    /// repeated after a crash.
    ///
    /// # Errors
    ///
    /// See [`OrchestratorError`].
    pub async fn delete_children(
        &self,
        id: SessionId,
        children: &[SessionId],
        way: Deletion,
    ) -> Result<(), OrchestratorError> {
        // The results of its runtimes begin no turn there meanwhile.
        self.state().closing.insert(id);
        let _closing = self.undo_later(move |state| {
            state.closing.remove(&id);
        });
        let mut all = children.to_vec();
        if let Some(lane) = self.usable(id).await? {
            if let Some((parent, runtime)) = self.runtime_of(&lane).await? {
                let command = MutationCommand::new(ClientId::Daemon, None, "delete", &id);
                let id = runtime;
                parent.mutate(StopRuntime { command, id }).await?;
                self.look_at(parent.id());
                ended(&parent, runtime).await;
            }
            let later = self.below(id, true).await?;
            all.extend(later.into_iter().filter(|child| !children.contains(child)));
            lane.persist_aside(stop_all).await?;
            self.look_at(id);
            let open: Vec<AgentTaskId> =
                lane.runtimes(|all| all.unfinished().map(|(id, _)| id).collect());
            for runtime in open {
                ended(&lane, runtime).await;
            }
        }
        for child in all.into_iter().rev() {
            self.delete_child(child, way).await?;
        }
        Ok(())
    }

    /// Deletes a session whose runtime has ended. A message that came just now may have begun another turn.
    async fn delete_child(&self, child: SessionId, way: Deletion) -> Result<(), OrchestratorError> {
        let mut attempts = DELETE_ATTEMPTS;
        loop {
            attempts -= 1;
            match self.sessions().delete_by(child, way).await {
                Ok(()) | Err(SessionError::NotFound(_)) => return Ok(()),
                Err(SessionError::Busy { .. }) if attempts > 0 => {
                    self.below(child, true).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The runtime that works in a session and has not ended, with the lane of the session that gave the
    /// task.
    async fn runtime_of(
        &self,
        lane: &Lane,
    ) -> Result<Option<(Arc<Lane>, AgentTaskId)>, OrchestratorError> {
        let Some(parent) = lane.session()?.parent else {
            return Ok(None);
        };
        let Some(parent) = self.usable(parent.session_id).await? else {
            return Ok(None);
        };
        let id = lane.id();
        let runtime = parent.runtimes(|all| {
            let mut unfinished = all.unfinished();
            let found = unfinished.find(|(_, runtime)| runtime.session_id == Some(id));
            found.map(|(id, _)| id)
        });
        Ok(runtime.map(|runtime| (parent, runtime)))
    }

    /// A session that cannot be loaded or changed has no runtimes that anything could be done for.
    async fn usable(&self, id: SessionId) -> Result<Option<Arc<Lane>>, OrchestratorError> {
        match self.sessions().get(id).await {
            Ok(lane) => Ok(Some(lane).filter(|lane| lane.can_change())),
            Err(SessionError::NotFound(_) | SessionError::Failed { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Waits until a runtime has ended.
async fn ended(lane: &Arc<Lane>, id: AgentTaskId) {
    let mut changes = lane.watch_changes();
    let has_ended =
        || lane.runtimes(|all| all.get(id).is_none_or(|runtime| runtime.status.is_final()));
    while !has_ended() && changes.changed().await {}
}

/// Waits until no turn is open.
async fn idle(lane: &Arc<Lane>) {
    let mut changes = lane.watch_changes();
    while !ChildState::of(lane).is_idle && changes.changed().await {}
}
