//! Methods of the git worktrees that agents and runs work in.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_home::receipts::Effect;
use scorel_proto::{
    ListWorktreesParams, ListWorktreesResult, RemoveWorktree, RemoveWorktreeParams,
    RemoveWorktreeResult, RunId, SessionId, WorktreeInfo, WorktreeOwner,
};
use scorel_rpc::RpcCall;
use scorel_workplace::worktrees::FoundWorktree;

use super::caller::command;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn list(
    host: Arc<Host>,
    params: ListWorktreesParams,
) -> Reply<ListWorktreesResult> {
    host.named_dir(params.project_id)?;
    let of_tasks = host.sessions.by_task().await?;
    let worktrees = Arc::clone(&host.worktrees);
    let found = spawn_blocking(move || worktrees.list(params.project_id)).await??;
    let mut listed = Vec::with_capacity(found.len());
    for FoundWorktree {
        record,
        dirty,
        commits,
    } in found
    {
        let session_id = match record.owner {
            WorktreeOwner::RuntimeId(id) => of_tasks.get(&id.to_string()).copied(),
            WorktreeOwner::RunId(id) => session_of(&host, id).await,
        };
        listed.push(WorktreeInfo {
            runtime_id: record.owner.task(),
            run_id: record.owner.run(),
            session_id,
            project_id: record.project_id,
            path: record.path.display().to_string(),
            branch: record.branch,
            dirty,
            commits,
        });
    }
    Ok(ListWorktreesResult { worktrees: listed })
}

/// The session that has a run, unless it was deleted.
async fn session_of(host: &Host, id: RunId) -> Option<SessionId> {
    let last = host.runs.sessions_of(id).await.pop()?;
    host.sessions.get(last).await.ok().map(|_| last)
}

pub(super) async fn remove(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RemoveWorktreeParams,
) -> Reply<RemoveWorktreeResult> {
    let command = command::<RemoveWorktree>(&call, params.command_id.take(), &params)?;
    let owner = match (params.runtime_id, params.run_id) {
        (Some(id), None) => WorktreeOwner::RuntimeId(id),
        (None, Some(id)) => WorktreeOwner::RunId(id),
        _ => {
            return Err(CallError::invalid(
                "one of `runtimeId` and `runId` is needed",
            ));
        }
    };
    let worktrees = Arc::clone(&host.worktrees);
    let known = spawn_blocking(move || worktrees.record(owner)).await??;
    let effect = Effect::RemoveWorktree {
        owner,
        branch: known.map(|known| known.branch),
        force: params.force.unwrap_or(false),
    };
    let branch = host.mutate(command, effect).await?.branch()?;
    Ok(RemoveWorktreeResult { branch })
}
