//! Lists the git worktrees of agents and runs, and removes them.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use scorel_proto::{
    ErrorCode, ListWorktrees, ListWorktreesParams, ListWorktreesResult, RemoveWorktree,
    RemoveWorktreeParams, WorktreeInfo, WorktreeOwner, counted,
};

use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::id_part::end_of;
use crate::worktree_selector::{WorktreeSelector, owner};
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
        /// Id of the runtime or the run for which it was made, or the beginning or end of it
        #[arg(value_name = "RUNTIME|RUN")]
        owner: WorktreeSelector,
        /// Also if changes in it are not committed: they are lost
        #[arg(long)]
        force: bool,
    },
}

pub(super) async fn run(args: &WorktreesArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    match &args.action {
        None => list(args, cli).await,
        Some(WorktreesCommand::Remove { owner, force }) => remove(owner, *force, cli).await,
    }
}

async fn list(args: &WorktreesArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let answer = listed(args, cli).await?;
    let rows = answer.worktrees.iter().map(row);
    cli.list(&answer, rows, "no agent or run has a worktree")
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
        owner(worktree).map_or_else(String::new, |it| end_of(&it)),
        one_line(&worktree.branch),
        one_line(&worktree.path),
    )
}

async fn remove(
    selected: &WorktreeSelector,
    force: bool,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let owner = selected.find(cli).await?;
    let params = RemoveWorktreeParams {
        runtime_id: owner.task(),
        run_id: owner.run(),
        force: force.then_some(true),
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<RemoveWorktree>(&params).await;
    let answer = answer.map_err(|error| not_removed(error.into(), owner))?;
    cli.result(&answer, |output| {
        let branch = one_line(&answer.branch);
        output.line(&format!("removed the worktree; the branch {branch} stays"))
    })
}

fn not_removed(failure: Failure, owner: WorktreeOwner) -> Failure {
    const LISTED: &str = "`scorelctl worktrees --all` lists the worktrees";
    let stops = match owner {
        WorktreeOwner::RuntimeId(id) => format!("`scorelctl runtimes stop {id}` stops its agent"),
        WorktreeOwner::RunId(_) => {
            "`scorelctl cancel` in the session of the run cancels its turn".to_owned()
        }
    };
    failure
        .hint_for(ErrorCode::AgentTaskBusy, stops)
        .hint_for(
            ErrorCode::Conflict,
            "commit the changes there, or lose them with --force",
        )
        .hint_for(ErrorCode::AgentTaskNotFound, LISTED)
        .hint_for(ErrorCode::RunNotFound, LISTED)
}

#[cfg(test)]
mod tests {
    use scorel_client::ClientError;
    use scorel_proto::RpcError;

    use super::*;

    #[test]
    fn a_row_says_whether_work_would_be_lost() {
        let mut worktree = WorktreeInfo {
            runtime_id: Some("rti_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap()),
            run_id: None,
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
        worktree.runtime_id = None;
        worktree.run_id = Some("run_01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap());
        worktree.dirty = None;
        worktree.commits = Some(1);
        assert!(row(&worktree).starts_with("9G5FAW  unknown  1 commit "));
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
