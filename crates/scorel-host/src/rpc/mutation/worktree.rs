use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_home::receipts::Subject;
use scorel_proto::{Phase, SessionId, WorktreeOwner};
use scorel_session::SessionError;
use scorel_workplace::worktrees::WorktreeError;

use super::attempt::Attempt;
use crate::host::Host;
use crate::rpc::call_error::CallError;

impl Host {
    /// Removes the worktree of a runtime or a run, unless a turn is open in the session that works in it. In a second
    /// attempt a missing one is no error: the first has removed it and did not get to end its receipt.
    pub(super) async fn remove_worktree(
        &self,
        owner: WorktreeOwner,
        branch: Option<String>,
        force: bool,
        attempt: Attempt,
    ) -> Result<Subject, CallError> {
        match self.remove_unused(owner, force).await {
            Err(CallError::Worktree(WorktreeError::NotFound(_))) if attempt == Attempt::Again => {}
            removed => removed?,
        }
        let branch = branch.ok_or(WorktreeError::NotFound(owner))?;
        Ok(Subject::Branch(branch))
    }

    /// The files that the session's tools have open are closed first.
    async fn remove_unused(&self, owner: WorktreeOwner, force: bool) -> Result<(), CallError> {
        let sessions = match owner {
            WorktreeOwner::RuntimeId(id) => {
                let session = self.sessions.for_task(&id.to_string()).await?;
                session.into_iter().map(|it| it.session_id).collect()
            }
            WorktreeOwner::RunId(id) => self.runs.sessions_of(id).await,
        };
        for session in sessions {
            // Also one that waits for its turn, or for runtimes of its own.
            self.orchestrator.check_unused(session).await?;
            self.leave_worktree(session).await?;
        }
        let worktrees = Arc::clone(&self.worktrees);
        let removed = spawn_blocking(move || worktrees.remove(owner, force));
        Ok(removed.await??)
    }

    /// Ends the commands of an idle session.
    async fn leave_worktree(&self, session_id: SessionId) -> Result<(), CallError> {
        match self.sessions.get(session_id).await {
            Ok(lane) => {
                let (phase, turn) = lane.phase();
                if turn.is_some() || !matches!(phase, Phase::Idle | Phase::Failed) {
                    return Err(SessionError::Busy { phase, queued: 0 }.into());
                }
            }
            // Nothing works in one that cannot be opened.
            Err(SessionError::NotFound(_) | SessionError::Failed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        self.sessions.forget_tools(session_id);
        Ok(())
    }
}
