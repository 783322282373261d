//! Arguments of `runtimes`, `graph` and `worktrees`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use scorel_proto::AgentTaskStatus;

use super::protocol_name::protocol_name;
use crate::agent_task_selector::AgentTaskSelector;
use crate::selector::SessionSelector;

#[derive(Debug, Args)]
pub(crate) struct RuntimesArgs {
    /// Only tasks that this session gave: an id, or its beginning or end [default: all sessions of the
    /// project]
    #[arg(long, short, value_name = "ID|PART")]
    pub(crate) session: Option<SessionSelector>,
    /// Only runtimes of this agent
    #[arg(long, value_name = "TYPE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) agent: Option<String>,
    /// Only runtimes with this status
    #[arg(long, value_name = "STATUS",
        value_parser = protocol_name::<AgentTaskStatus>(AgentTaskStatus::ALL.map(AgentTaskStatus::name)))]
    pub(crate) status: Option<AgentTaskStatus>,
    /// How many at most
    #[arg(long, short = 'n', value_name = "N", default_value = "50",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// List the runtimes of all projects
    #[arg(long, short, conflicts_with = "project")]
    pub(crate) all: bool,
    #[command(subcommand)]
    pub(crate) action: Option<RuntimesCommand>,
}

/// What to do with a runtime.
#[derive(Debug, Subcommand)]
pub(crate) enum RuntimesCommand {
    /// Print a runtime with its task and its result
    Show {
        /// Runtime id, or the beginning or end of one
        #[arg(value_name = "RUNTIME")]
        runtime: AgentTaskSelector,
    },
    /// Move a runtime that waits to another place of its queue
    Move {
        /// Runtime id, or the beginning or end of one
        #[arg(value_name = "RUNTIME")]
        runtime: AgentTaskSelector,
        /// Its new place, from 1; a place beyond the end is the end
        #[arg(value_name = "POSITION", value_parser = clap::value_parser!(u32).range(1..))]
        position: u32,
    },
    /// Stop a runtime: one that waits ends at once, the turn of one that runs is cancelled
    Stop {
        /// Runtime id, or the beginning or end of one
        #[arg(value_name = "RUNTIME")]
        runtime: AgentTaskSelector,
    },
}

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// Go on with each line that changes, until interrupted
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// The session at the root: an id, or its beginning or end [default: the project's
    /// orchestrator, else its latest session]
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<SessionSelector>,
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

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

/// What to do with a worktree.
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
