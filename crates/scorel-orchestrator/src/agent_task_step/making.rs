//! Creating the session of a runtime.

use std::sync::Arc;

use scorel_proto::{
    AgentTask, AgentWorkspace, ClientId, EventId, OWN_RUNNER, RuntimeSpawnedBody, SessionAgent,
    SessionKind, SessionParent,
};
use scorel_session::{NewSession, SessionError};

use super::AgentTaskStep;
use crate::due::RETRY;
use crate::error::OrchestratorError;
use crate::outcome::failed;
use crate::task_lane::TaskLane as _;

impl AgentTaskStep<'_> {
    /// Creates the session of the runtime, with the id in `runtime_spawned`. Returns whether that is
    /// done: making a worktree takes seconds, so a task of its own does it and has the runtime
    /// reconciled again.
    pub(super) async fn make(&self, runtime: &AgentTask) -> Result<bool, OrchestratorError> {
        let spawned = self.spawned(runtime).await?;
        let agents = self.orchestrator.agents(self.lane.project_id()).await;
        let policy = agents.agents.get(&spawned.1.agent_type);
        let workspace = policy.map(|policy| policy.config.workspace);
        if workspace != Some(AgentWorkspace::Worktree) {
            return self.make_now(runtime, spawned).await;
        }
        let Some(orchestrator) = self.orchestrator.handle() else {
            return Ok(false);
        };
        if !orchestrator.state().making.insert(self.id) {
            return Ok(false);
        }
        let (lane, id, runtime) = (Arc::clone(self.lane), self.id, runtime.clone());
        tokio::spawn(async move {
            let step = AgentTaskStep {
                orchestrator: &orchestrator,
                lane: &lane,
                id,
            };
            let made = step.make_now(&runtime, spawned).await;
            orchestrator.state().making.remove(&id);
            match made {
                Ok(_) => orchestrator.look_at(lane.id()),
                Err(error) => {
                    tracing::warn!(session = %lane.id(), runtime = %id, %error, "a runtime waits");
                    orchestrator.look_at_later(lane.id(), RETRY);
                }
            }
        });
        Ok(false)
    }

    async fn make_now(
        &self,
        runtime: &AgentTask,
        spawned: (EventId, RuntimeSpawnedBody),
    ) -> Result<bool, OrchestratorError> {
        let made = self.make_session(spawned).await;
        match made {
            Ok(()) => {}
            Err(MakeError::Session(
                error @ (SessionError::Stalled(_) | SessionError::OutOfDescriptors(_)),
            )) => return Err(error.into()),
            Err(MakeError::Session(SessionError::ShuttingDown)) => return Ok(false),
            Err(MakeError::Session(error)) => {
                self.finish(runtime, failed(error.to_string())).await?;
            }
            Err(MakeError::Impossible(reason)) => self.finish(runtime, failed(reason)).await?,
        }
        Ok(true)
    }

    async fn make_session(
        &self,
        (event_id, spawned): (EventId, RuntimeSpawnedBody),
    ) -> Result<(), MakeError> {
        if spawned.continued {
            return Err(MakeError::Impossible("its session was deleted".to_owned()));
        }
        let (orchestrator, project_id) = (self.orchestrator, self.lane.project_id());
        let agents = orchestrator.agents(project_id).await;
        let name = spawned.agent_type.as_str();
        let Some(policy) = agents.agents.get(name) else {
            let reason = format!("the agent `{name}` is not configured any more");
            return Err(MakeError::Impossible(reason));
        };
        let config = &policy.config;
        let worktree = match config.workspace {
            AgentWorkspace::Shared => None,
            AgentWorkspace::Worktree => {
                let (host, id) = (Arc::clone(orchestrator.host()), self.id);
                let title = spawned.title.clone();
                let beside = self.lane.worktree();
                let made = scorel_engine::spawn_blocking(move || {
                    host.worktree(project_id, id, &title, beside.as_ref())
                });
                let made = made
                    .await
                    .map_err(|error| MakeError::Impossible(error.to_string()))?;
                Some(made.map_err(MakeError::Impossible)?)
            }
        };
        let new = NewSession {
            project_id,
            kind: SessionKind::Subagent,
            parent: Some(SessionParent {
                session_id: self.lane.id(),
                event_id: Some(event_id),
                task_id: Some(self.id.to_string()),
            }),
            client_id: ClientId::Daemon,
            title: Some(spawned.title),
            agent: Some(SessionAgent {
                agent_type: spawned.agent_type.clone(),
                depth: self.lane.depth() + 1,
                worktree,
            }),
            run: None,
            worktree: None,
            model: config.model.clone(),
            runner: Some(config.runner.clone()).filter(|name| name != OWN_RUNNER),
            thinking_level: config.thinking_level,
            tools: config.tools,
        };
        let sessions = orchestrator.sessions();
        let made = sessions.create_as(spawned.session_id, new).await;
        made.map_err(MakeError::Session)?;
        // It was stopped meanwhile, or the session that gave the task was deleted: this one has no use.
        let has_ended = |runtime: &AgentTask| runtime.status.is_final();
        if self
            .lane
            .runtimes(|all| all.get(self.id).is_none_or(has_ended))
        {
            let deleted = sessions.delete(spawned.session_id).await;
            deleted.map_err(MakeError::Session)?;
        }
        Ok(())
    }
}

/// The reason why the session of a runtime could not be made.
enum MakeError {
    Session(SessionError),
    /// It never can be.
    Impossible(String),
}
