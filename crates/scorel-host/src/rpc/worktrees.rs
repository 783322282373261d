//! Methods of the git worktrees that agents work in.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_home::receipts::Effect;
use scorel_proto::{
    ListWorktreesParams, ListWorktreesResult, RemoveWorktree, RemoveWorktreeParams,
    RemoveWorktreeResult, WorktreeInfo,
};
use scorel_rpc::RpcCall;
use scorel_workplace::worktrees::FoundWorktree;

use super::caller::command;
use crate::host::Host;
use crate::rpc::call_error::Reply;

pub(super) async fn list(
    host: Arc<Host>,
    params: ListWorktreesParams,
) -> Reply<ListWorktreesResult> {
    host.named_dir(params.project_id)?;
    let sessions = host.sessions.by_task().await?;
    let worktrees = Arc::clone(&host.worktrees);
    let found = spawn_blocking(move || worktrees.list(params.project_id)).await??;
    let describe = |found: FoundWorktree| WorktreeInfo {
        runtime_id: found.record.runtime_id,
        session_id: sessions.get(&found.record.runtime_id.to_string()).copied(),
        project_id: found.record.project_id,
        path: found.record.path.display().to_string(),
        branch: found.record.branch,
        dirty: found.dirty,
        commits: found.commits,
    };
    Ok(ListWorktreesResult {
        worktrees: found.into_iter().map(describe).collect(),
    })
}

pub(super) async fn remove(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RemoveWorktreeParams,
) -> Reply<RemoveWorktreeResult> {
    let command = command::<RemoveWorktree>(&call, params.command_id.take(), &params)?;
    let (worktrees, runtime_id) = (Arc::clone(&host.worktrees), params.runtime_id);
    let known = spawn_blocking(move || worktrees.record(runtime_id)).await??;
    let effect = Effect::RemoveWorktree {
        runtime_id,
        branch: known.map(|known| known.branch),
        force: params.force.unwrap_or(false),
    };
    let branch = host.mutate(command, effect).await?.branch()?;
    Ok(RemoveWorktreeResult { branch })
}
