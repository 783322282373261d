//! Lists the git worktrees of agents, and removes them.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use scorel_proto::{
    AgentTaskId, ErrorCode, ListWorktrees, ListWorktreesParams, ListWorktreesResult,
    RemoveWorktree, RemoveWorktreeParams, WorktreeInfo, counted,
};

use crate::agent_task_selector::AgentTaskSelector;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::id_part::end_of;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct WorktreesArgs {
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// List the worktrees of all projects
    #[arg(long, short, conflicts_with = "project")]
    pub(crate) all: bool,
    #[command(subcommand)]
    pub(crate) action: Option<WorktreesCommand>,
}

/// A command on a worktree.
#[derive(Debug, Subcommand)]
pub(crate) enum WorktreesCommand {
    /// Remove a worktree; its branch stays
    Remove {
        /// Id of the runtime for which it was made, or the beginning or end of it
        #[arg(value_name = "RUNTIME")]
        runtime: AgentTaskSelector,
        /// Also if changes in it are not committed: they are lost
        #[arg(long)]
        force: bool,
    },
}

pub(super) async fn run(args: &WorktreesArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    match &args.action {
        None => list(args, cli).await,
        Some(WorktreesCommand::Remove { runtime, force }) => remove(runtime, *force, cli).await,
    }
}

async fn list(args: &WorktreesArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let answer = listed(args, cli).await?;
    let rows = answer.worktrees.iter().map(row);
    cli.list(&answer, rows, "no agent has a worktree")
}

async fn listed(args: &WorktreesArgs, cli: &mut Cli<'_>) -> Result<ListWorktreesResult, Failure> {
    let mut params = ListWorktreesParams::default();
    if !args.all && cli.has_project(args.project.as_deref()) {
        params.project_id = cli.project_id(args.project.as_deref()).await?;
        if params.project_id.is_none() {
            return Ok(ListWorktreesResult::default());
        }
    }
    Ok(cli.call::<ListWorktrees>(&params).await?)
}

fn row(worktree: &WorktreeInfo) -> String {
    let state = match worktree.dirty {
        Some(true) => "changed",
        Some(false) => "clean",
        None => "unknown",
    };
    let commits = worktree.commits.map(|count| counted(count, "commit"));
    let commits = commits.unwrap_or_default();
    let deleted = match worktree.session_id {
        Some(_) => "",
        None => "  (its session was deleted)",
    };
    format!(
        "{}  {state:<7}  {commits:<10}  {}  {}{deleted}",
        end_of(&worktree.runtime_id),
        one_line(&worktree.branch),
        one_line(&worktree.path),
    )
}

async fn remove(
    runtime: &AgentTaskSelector,
    force: bool,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let runtime_id = match runtime {
        AgentTaskSelector::Id(id) => *id,
        // A worktree outlives its runtime, so the list of worktrees is searched.
        AgentTaskSelector::Part(_) => {
            let params = ListWorktreesParams::default();
            let found = cli.call::<ListWorktrees>(&params).await?.worktrees;
            runtime.choose(found.iter().map(|worktree| worktree.runtime_id))?
        }
    };
    let params = RemoveWorktreeParams {
        runtime_id,
        force: force.then_some(true),
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<RemoveWorktree>(&params).await;
    let answer = answer.map_err(|error| not_removed(error.into(), runtime_id))?;
    cli.result(&answer, |output| {
        let branch = one_line(&answer.branch);
        output.line(&format!("removed the worktree; the branch {branch} stays"))
    })
}

fn not_removed(failure: Failure, runtime: AgentTaskId) -> Failure {
    failure
        .hint_for(
            ErrorCode::AgentTaskBusy,
            format!("`scorelctl runtimes stop {runtime}` stops its agent"),
        )
        .hint_for(
            ErrorCode::Conflict,
            "commit the changes there, or lose them with --force",
        )
        .hint_for(
            ErrorCode::AgentTaskNotFound,
            "`scorelctl worktrees --all` lists the worktrees",
        )
}

#[cfg(test)]
mod tests {
    use scorel_client::ClientError;
    use scorel_proto::RpcError;

    use super::*;

    #[test]
    fn a_row_says_whether_work_would_be_lost() {
        let mut worktree = WorktreeInfo {
            runtime_id: "rti_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            session_id: None,
            project_id: "prj_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            path: "/home/me/w\n".to_owned(),
            branch: "scorel/fix-g5fav".to_owned(),
            dirty: Some(true),
            commits: Some(0),
        };
        assert_eq!(
            row(&worktree),
            "9G5FAV  changed  0 commits   scorel/fix-g5fav  /home/me/w   (its session was deleted)"
        );
        worktree.session_id = Some("ses_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap());
        worktree.dirty = None;
        worktree.commits = Some(1);
        assert!(row(&worktree).contains("  unknown  1 commit "));
    }

    #[test]
    fn a_refusal_says_what_helps_here() {
        let runtime = "rti_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        for (code, part) in [
            (ErrorCode::AgentTaskBusy, "runtimes stop rti_01ARZ"),
            (ErrorCode::Conflict, "--force"),
            (ErrorCode::AgentTaskNotFound, "worktrees --all"),
        ] {
            let failure = ClientError::Rpc(RpcError::new(code, "no")).into();
            let Failure::Report(report) = not_removed(failure, runtime) else {
                panic!("a report")
            };
            let hint = report.hint.expect("a hint");
            assert!(hint.contains(part), "{hint}");
        }
    }
}
