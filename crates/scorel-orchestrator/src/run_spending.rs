//! The use of a session with all agents below it, for the limits of costs and of runs of workflows.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_proto::{RunSpent, SessionId};
use scorel_session::{Lane, SessionError};

use crate::orchestrator::Orchestrator;
use crate::run_use::RunUse;

impl Orchestrator {
    /// The run that a session works for, by itself or because its task came from there.
    ///
    /// # Errors
    ///
    /// If a session above it cannot be loaded.
    pub async fn run_use(&self, session: SessionId) -> Result<Option<RunUse>, SessionError> {
        let mut lane = self.sessions().get(session).await?;
        while let Some(above) = giver(&lane) {
            lane = match self.sessions().get(above).await {
                // Deleted while its agent worked.
                Err(SessionError::NotFound(_)) => return Ok(None),
                found => found?,
            };
        }
        let run = lane.view(|view| {
            let run = view.state.run.as_ref()?;
            Some((run.shown.run_id, run.spent_before))
        });
        let Some((run_id, before)) = run else {
            return Ok(None);
        };
        Ok(Some(RunUse {
            run_id,
            session_id: lane.id(),
            spent: before.plus(self.used(lane).await?),
        }))
    }

    /// The use of a session by now, with that of its tasks and of those below them.
    pub(crate) fn used(&self, lane: Arc<Lane>) -> BoxFuture<'_, Result<RunSpent, SessionError>> {
        async move {
            let (mut spent, running) = lane.view(|view| {
                let tasks = &view.state.runtimes;
                let sessions = tasks.unfinished().filter_map(|(_, task)| task.session_id);
                let running: Vec<_> = sessions.map(|id| (id, tasks.used_in(id))).collect();
                (view.state.used(), running)
            });
            for (id, counted) in running {
                let child = match self.sessions().get(id).await {
                    // It waits for its turn.
                    Err(SessionError::NotFound(_)) => continue,
                    found => self.used(found?).await?,
                };
                // A session that goes on with another task has been counted for those before.
                spent = spent.plus(RunSpent {
                    tokens: child.tokens.saturating_sub(counted.usage.total()),
                    micro_usd: child.micro_usd.saturating_sub(counted.cost.micro_usd),
                    spawns: child.spawns.saturating_sub(counted.spawned),
                });
            }
            Ok(spent)
        }
        .boxed()
    }
}

/// The session that has given another its task, if one has.
fn giver(lane: &Lane) -> Option<SessionId> {
    let parent = lane.header().parent.as_ref()?;
    parent.task_id.is_some().then_some(parent.session_id)
}
