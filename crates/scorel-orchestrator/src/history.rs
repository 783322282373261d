//! Runtimes that have ended, found in the logs of the sessions that gave the tasks.

use std::sync::Arc;

use scorel_proto::{
    AgentTaskId, AgentTaskInfo, AgentTaskResult, GetRuntimeResult, ListRuntimesParams,
    ListRuntimesResult, PersistentBody, SessionId, SessionWorktree,
};
use scorel_session::{Lane, SessionError};

use crate::error::OrchestratorError;
use crate::orchestrator::Orchestrator;
use crate::task_lane::TaskLane as _;

impl Orchestrator {
    /// Lists runtimes, the last spawned first.
    ///
    /// # Errors
    ///
    /// See [`OrchestratorError`].
    pub async fn list(
        &self,
        wanted: &ListRuntimesParams,
        limit: usize,
    ) -> Result<ListRuntimesResult, OrchestratorError> {
        let after = wanted.cursor.as_deref().map(position).transpose()?;
        let sessions = self.sessions();
        let parents = match wanted.session_id {
            Some(id) => vec![sessions.get(id).await?.id()],
            None => sessions.with_runtimes(wanted.project_id).await?,
        };
        let mut runtimes = Vec::new();
        for parent in parents {
            // A session that cannot be read hides its own runtimes, not those of others.
            let Ok(lane) = sessions.get(parent).await else {
                continue;
            };
            let found = infos(&lane).into_iter();
            runtimes.extend(found.filter(|runtime| is_wanted(runtime, wanted)));
        }
        let key = |runtime: &AgentTaskInfo| (runtime.started_at, runtime.runtime_id);
        runtimes.retain(|runtime| after.is_none_or(|after| key(runtime) < after));
        runtimes.sort_by_key(|runtime| std::cmp::Reverse(key(runtime)));
        let more = runtimes.len() > limit;
        runtimes.truncate(limit);
        let last = runtimes.last().filter(|_| more).map(key);
        Ok(ListRuntimesResult {
            next_cursor: last.map(|(at, id)| format!("{at}.{id}")),
            runtimes,
        })
    }

    /// A runtime with its task and its result.
    ///
    /// # Errors
    ///
    /// See [`OrchestratorError`].
    pub async fn get(&self, id: AgentTaskId) -> Result<GetRuntimeResult, OrchestratorError> {
        let lane = self.parent_of(id).await?;
        let missing = || OrchestratorError::AgentTaskNotFound(id);
        let runtime = lane.runtime(id).ok_or_else(missing)?;
        let seqs = lane.runtimes(|all| {
            let runtime = all.get(id)?;
            Some((runtime.spawned_seq?, runtime.finished_seq))
        });
        let (spawned, finished) = seqs.ok_or_else(missing)?;
        let prompt = match lane.record(spawned).await?.body {
            PersistentBody::RuntimeSpawned(body) => body.prompt,
            _ => String::new(),
        };
        let mut result = None;
        if let Some(seq) = finished
            && let PersistentBody::RuntimeFinished(body) = lane.record(seq).await?.body
        {
            result = Some(AgentTaskResult {
                reason: body.reason,
                last_message: body.last_message,
                last_message_blob: body.last_message_blob,
            });
        }
        Ok(GetRuntimeResult {
            runtime,
            prompt,
            result,
        })
    }

    /// The worktree of a session, if it has one and is still there.
    pub(crate) async fn worktree_of(&self, session: Option<SessionId>) -> Option<SessionWorktree> {
        let lane = self.sessions().get(session?).await.ok()?;
        lane.worktree()
    }

    /// The lane of the session that gave a task which has ended. The agent's session names it, unless
    /// that session is gone or had another task before; then all sessions with runtimes are searched.
    pub(crate) async fn past_parent(
        &self,
        id: AgentTaskId,
    ) -> Result<Arc<Lane>, OrchestratorError> {
        let sessions = self.sessions();
        let child = sessions.for_task(&id.to_string()).await?;
        let named = child.and_then(|child| child.parent);
        let named = named.map(|parent| parent.session_id);
        let all = sessions.with_runtimes(None).await?;
        for parent in named.into_iter().chain(all) {
            match sessions.get(parent).await {
                Ok(lane) if lane.runtime(id).is_some() => return Ok(lane),
                Ok(_) | Err(SessionError::NotFound(_) | SessionError::Failed { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(OrchestratorError::AgentTaskNotFound(id))
    }
}

/// The last runtime of the previous page, from a cursor.
fn position(cursor: &str) -> Result<(u64, AgentTaskId), SessionError> {
    let parts = cursor.split_once('.');
    let parsed = parts.and_then(|(at, id)| Some((at.parse().ok()?, id.parse().ok()?)));
    parsed.ok_or_else(|| {
        SessionError::InvalidParams("`cursor` is not one of listRuntimes".to_owned())
    })
}

fn is_wanted(runtime: &AgentTaskInfo, wanted: &ListRuntimesParams) -> bool {
    let agent = wanted.agent_type.as_ref();
    let is_there = wanted.project_id.is_none_or(|id| id == runtime.project_id);
    is_there
        && agent.is_none_or(|agent| *agent == runtime.agent_type)
        && wanted.status.is_none_or(|status| status == runtime.status)
}

/// The runtimes of a session, as they were spawned.
pub(crate) fn infos(lane: &Lane) -> Vec<AgentTaskInfo> {
    let owner = (lane.id(), lane.project_id());
    let mut infos: Vec<_> = lane.runtimes(|all| {
        let all = all.iter();
        all.map(|(id, runtime)| (runtime.spawned_seq, AgentTaskInfo::new(id, runtime, owner)))
            .collect()
    });
    infos.sort_by_key(|(seq, _)| *seq);
    infos.into_iter().map(|(_, info)| info).collect()
}
