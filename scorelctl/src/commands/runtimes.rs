//! Lists runtimes, the tasks that agents were given; shows, moves and stops them.

mod show;

use std::path::PathBuf;
use std::time::SystemTime;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use scorel_proto::{
    AgentTaskInfo, AgentTaskStatus, ListRuntimes, ListRuntimesParams, ListRuntimesResult,
    MoveRuntime, MoveRuntimeParams, StopRuntime, StopRuntimeParams,
};

use super::agent_task_state::AgentTaskState;
use super::sessions::age;
use crate::agent_task_selector::AgentTaskSelector;
use crate::args::protocol_name;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::id_part::end_of;
use crate::selector::SessionSelector;
use crate::target;
use scorel_screen::escape::one_line;

pub(super) use show::last_message;

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
    /// The greatest number to list
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

/// A command on a runtime.
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

/// Columns of an agent's name and of a status.
const AGENT_WIDTH: usize = 12;
const STATE_WIDTH: usize = 15;

/// The length limits of what a runtime does and of its title, in characters.
pub(super) const SHOWN_CHARS: usize = 80;
pub(super) const TITLE_CHARS: usize = 30;

pub(super) async fn run(args: &RuntimesArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    match &args.action {
        None => list(args, cli).await,
        Some(RuntimesCommand::Show { runtime }) => show::run(runtime, cli).await,
        Some(RuntimesCommand::Move { runtime, position }) => move_to(runtime, *position, cli).await,
        Some(RuntimesCommand::Stop { runtime }) => stop(runtime, cli).await,
    }
}

async fn list(args: &RuntimesArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let answer = listed(args, cli).await?;
    let now = SystemTime::now();
    cli.result(&answer, |output| {
        if !answer.runtimes.is_empty() {
            output.line(&columns([
                "ID", "AGENT", "STATUS", "AGE", "TITLE", "SUMMARY",
            ]))?;
        }
        output.lines(answer.runtimes.iter().map(|runtime| row(runtime, now)))
    })?;
    if answer.runtimes.is_empty() {
        cli.note("no runtimes; `scorelctl spawn TYPE PROMPT` gives an agent a task")?;
    } else if answer.next_cursor.is_some() {
        cli.note("there are more; --limit lists up to 1000")?;
    }
    Ok(())
}

async fn listed(args: &RuntimesArgs, cli: &mut Cli<'_>) -> Result<ListRuntimesResult, Failure> {
    let mut params = ListRuntimesParams {
        agent_type: args.agent.clone(),
        status: args.status,
        limit: Some(args.limit),
        ..ListRuntimesParams::default()
    };
    if let Some(session) = &args.session {
        let directory = args.project.as_deref();
        let daemon = &mut cli.daemon;
        params.session_id = Some(target::existing(daemon, Some(session), directory).await?);
    } else if !args.all && cli.has_project(args.project.as_deref()) {
        params.project_id = cli.project_id(args.project.as_deref()).await?;
        if params.project_id.is_none() {
            return Ok(ListRuntimesResult::default());
        }
    }
    Ok(cli.call::<ListRuntimes>(&params).await?)
}

fn row(runtime: &AgentTaskInfo, now: SystemTime) -> String {
    columns([
        &end_of(&runtime.runtime_id),
        &one_line(&runtime.agent_type),
        &AgentTaskState(runtime).to_string(),
        &age(runtime.started_at, now),
        &shortened(&runtime.title, TITLE_CHARS),
        &shortened(runtime.summary.as_deref().unwrap_or_default(), SHOWN_CHARS),
    ])
}

fn columns([id, agent, state, age, title, summary]: [&str; 6]) -> String {
    // A title that was cut has a mark at its end.
    const TITLE_WIDTH: usize = TITLE_CHARS + 1;
    let line = format!(
        "{id:<6}  {agent:<AGENT_WIDTH$}  {state:<STATE_WIDTH$}{age:>6}  {title:<TITLE_WIDTH$}  {summary}"
    );
    line.trim_end().to_owned()
}

/// A text on one line, at most `chars` characters and a mark that it goes on.
pub(super) fn shortened(text: &str, chars: usize) -> String {
    let line = one_line(text);
    match line.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

async fn move_to(
    runtime: &AgentTaskSelector,
    position: u32,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let params = MoveRuntimeParams {
        runtime_id: runtime.find(&mut cli.daemon).await?,
        position,
        command_id: Some(new_command_id()),
    };
    let text = format!(
        "moved {} to place {position} of its queue",
        params.runtime_id
    );
    cli.tell::<MoveRuntime>(&params, |_| text).await
}

async fn stop(runtime: &AgentTaskSelector, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = StopRuntimeParams {
        runtime_id: runtime.find(&mut cli.daemon).await?,
        command_id: Some(new_command_id()),
    };
    let id = params.runtime_id;
    cli.tell::<StopRuntime>(&params, |answer| match answer.seq {
        Some(_) => format!("stopping {id}"),
        None => format!("{id} had ended"),
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use scorel_proto::AgentTaskStatus;

    use super::super::agent_task_state::tests::runtime;
    use super::*;

    #[test]
    fn a_row_has_the_task_and_what_the_agent_does() {
        let now = UNIX_EPOCH + Duration::from_secs(1_120);
        let mut info = runtime(AgentTaskStatus::Queued);
        info.queue_position = Some(1);
        info.queued_count = Some(2);
        let expected = "9G5FAV  reviewer      queued 1 of 2      2m  \
                        Review the parser";
        assert_eq!(row(&info, now), expected);
        info.summary = Some("reads\nsrc\u{1b}[2J".to_owned());
        let text = row(&info, now);
        let expected = "2m  Review the parser                reads src⟨1b⟩[2J";
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn a_long_summary_is_cut() {
        assert_eq!(shortened(&"ü".repeat(100), 80).chars().count(), 81);
    }
}
