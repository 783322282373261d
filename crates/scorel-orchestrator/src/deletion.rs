//! Sessions with runtimes that have not ended, or of such runtimes, are not deleted under their feet.

use std::sync::Arc;

use scorel_proto::{ClientId, Phase, RuntimeId, SessionId};
use scorel_session::{Deletion, Lane, MutationCommand, SessionError, Sessions};

use crate::error::OrchestratorError;
use crate::orchestrator::Orchestrator;

impl Orchestrator {
    /// Fails if the session has runtimes that have not ended, or is the session of one.
    ///
    /// # Errors
    ///
    /// [`SessionError::Busy`].
    pub async fn check_unused(&self, id: SessionId) -> Result<(), OrchestratorError> {
        let sessions = self.sessions()?;
        let Some(lane) = usable(&sessions, id).await? else {
            return Ok(());
        };
        let has_open = lane.runtimes(|all| all.unfinished().next().is_some());
        if has_open || self.runtime_of(&sessions, &lane).await?.is_some() {
            return Err(SessionError::Busy {
                phase: Phase::Running,
                queued: 0,
            }
            .into());
        }
        Ok(())
    }

    /// The sessions of the runtimes of a session that have not ended, and of theirs.
    ///
    /// # Errors
    ///
    /// See [`OrchestratorError`].
    pub async fn open_children(&self, id: SessionId) -> Result<Vec<SessionId>, OrchestratorError> {
        let sessions = self.sessions()?;
        let (mut found, mut due) = (Vec::new(), vec![id]);
        while let Some(id) = due.pop() {
            let Some(lane) = usable(&sessions, id).await? else {
                continue;
            };
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

    /// Stops the runtimes of a session, and the one whose session it is, waits for their ends, and deletes
    /// `children`, their sessions. May be repeated after a crash in between.
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
        let sessions = self.sessions()?;
        let Some(lane) = usable(&sessions, id).await? else {
            return Ok(());
        };
        if let Some((parent, runtime)) = self.runtime_of(&sessions, &lane).await? {
            let command = MutationCommand::new(ClientId::Daemon, None, "delete", &id);
            parent.stop_runtime(command, runtime).await?;
            self.look_at(parent.id());
            ended(&parent, runtime).await;
        }
        // The turn first: it could spawn more.
        let _cancelled = lane.cancel(None);
        idle(&lane).await;
        lane.stop_runtimes().await?;
        self.look_at(id);
        let open: Vec<RuntimeId> =
            lane.runtimes(|all| all.unfinished().map(|(id, _)| id).collect());
        for runtime in open {
            ended(&lane, runtime).await;
        }
        for child in children.iter().rev() {
            match sessions.delete_by(*child, way).await {
                Ok(()) | Err(SessionError::NotFound(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// The runtime that works in a session and has not ended, with the lane of the session that gave the
    /// task.
    async fn runtime_of(
        &self,
        sessions: &Arc<Sessions>,
        lane: &Lane,
    ) -> Result<Option<(Arc<Lane>, RuntimeId)>, OrchestratorError> {
        let Some(parent) = lane.session()?.parent else {
            return Ok(None);
        };
        let Some(parent) = usable(sessions, parent.session_id).await? else {
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
}

/// A session that cannot be loaded has no runtimes that anything could be done for.
async fn usable(
    sessions: &Arc<Sessions>,
    id: SessionId,
) -> Result<Option<Arc<Lane>>, OrchestratorError> {
    match sessions.get(id).await {
        Ok(lane) => Ok(Some(lane)),
        Err(SessionError::NotFound(_) | SessionError::Failed { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Waits until a runtime has ended.
async fn ended(lane: &Arc<Lane>, id: RuntimeId) {
    let mut changes = lane.watch_changes();
    let has_ended =
        || lane.runtimes(|all| all.get(id).is_none_or(|runtime| runtime.status.is_final()));
    while !has_ended() && changes.changed().await {}
}

/// Waits until no turn is open.
async fn idle(lane: &Arc<Lane>) {
    let mut changes = lane.watch_changes();
    while !lane.child_state().is_idle && changes.changed().await {}
}
