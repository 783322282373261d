//! Gives an agent a task, and waits for what comes of it if asked to.

mod follow;
pub(super) mod host_feed;
mod progress;

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use scorel_proto::{
    AgentTaskId, GetRuntime, GetRuntimeParams, OpenOrchestrator, OpenOrchestratorParams,
    ResultDelivery, SessionId, SpawnRuntime, SpawnRuntimeParams, SpawnRuntimeResult,
};

use super::input::message_text;
use crate::agent_task_selector::AgentTaskSelector;
use crate::args::one_of;
use crate::cli::Cli;
use crate::daemon::{DaemonConnector, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::known_agent::known_agent;
use crate::output::Output;
use crate::selector::SessionSelector;
use crate::target;
use follow::AgentTaskFollower;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct SpawnArgs {
    /// The session that gives the task: an id, or its beginning or end [default: the project's orchestrator]
    #[arg(long, short = 's', value_name = "ID|PART")]
    pub(crate) parent: Option<SessionSelector>,
    /// Project directory, registered on first use [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// The task in a few words [default: the beginning of the prompt]
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// The workflow for whose quota the runtime counts
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) workflow: Option<String>,
    /// Go on in the session of a runtime that has ended: its id, or the beginning or end of it. The
    /// session that gave its task gives this one too
    #[arg(long = "continue", value_name = "RUNTIME")]
    pub(crate) continued: Option<AgentTaskSelector>,
    /// The use of the result
    #[arg(long, value_name = "WHAT", default_value = "none", value_parser = one_of(DELIVERIES))]
    pub(crate) deliver: ResultDelivery,
    /// Wait until the runtime has ended, and print its result
    #[arg(long, short)]
    pub(crate) wait: bool,
    /// An agent that `scorelctl agents` lists
    #[arg(value_name = "TYPE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) agent_type: String,
    /// The task; `-`, or no text when standard input is not a terminal, reads standard input
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
}

const DELIVERIES: [(&str, &str, ResultDelivery); 2] = [
    (
        "turn",
        "The parent's model reads it: in its running turn, or in a turn of its own",
        ResultDelivery::Turn,
    ),
    (
        "none",
        "It stays with the runtime, for people",
        ResultDelivery::None,
    ),
];

pub(super) async fn run(
    args: &SpawnArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let prompt = message_text(&args.prompt, &format!("spawn {}", args.agent_type))?.whole();
    let mut interrupts = Interrupts::listen()?;
    let (cli, spawned) = tokio::select! {
        spawned = spawn(args, prompt, link, output) => spawned?,
        () = interrupts.next() => return Ok(Exit::Interrupted),
    };
    tell(args, &spawned, cli.output)?;
    if !args.wait {
        return Ok(Exit::Success);
    }
    let mut follow = AgentTaskFollower::new(cli, spawned);
    follow.run(&mut interrupts).await
}

/// Tells the ids. With `--wait` standard output is for the result.
fn tell(
    args: &SpawnArgs,
    spawned: &SpawnRuntimeResult,
    output: &mut Output,
) -> Result<(), Failure> {
    let (runtime, session) = (spawned.runtime_id, spawned.session_id);
    if output.json {
        output.json(spawned)?;
    } else if args.wait {
        let agent = one_line(&args.agent_type);
        output.note(&format!("{runtime}: {agent} works in {session}"))?;
    } else {
        output.line(&format!("{runtime} {session}"))?;
    }
    Ok(output.flush()?)
}

async fn spawn<'a>(
    args: &SpawnArgs,
    prompt: String,
    link: DaemonConnector,
    output: &'a mut Output,
) -> Result<(Cli<'a>, SpawnRuntimeResult), Failure> {
    let mut cli = Cli::connect(link, output).await?;
    let continued = match &args.continued {
        Some(runtime) => Some(runtime.find(&mut cli.daemon).await?),
        None => None,
    };
    let params = SpawnRuntimeParams {
        session_id: parent(args, continued, &mut cli).await?,
        agent_type: args.agent_type.clone(),
        prompt,
        title: args.title.clone(),
        workflow_id: args.workflow.clone(),
        continued,
        deliver: Some(args.deliver),
        command_id: Some(new_command_id()),
    };
    let spawned = cli.call::<SpawnRuntime>(&params).await?;
    Ok((cli, spawned))
}

/// Fails if there is no such agent. Before the orchestrator is opened: a typo must not leave a session.
async fn parent(
    args: &SpawnArgs,
    continued: Option<AgentTaskId>,
    cli: &mut Cli<'_>,
) -> Result<SessionId, Failure> {
    let directory = args.project.as_deref();
    match (args.parent.as_ref(), continued) {
        (None, Some(runtime_id)) => {
            let params = GetRuntimeParams { runtime_id };
            let before = cli.call::<GetRuntime>(&params).await?;
            Ok(before.runtime.parent_session_id)
        }
        (None, None) => {
            let project_id = cli.registered(directory).await?.project_id;
            known_agent(&args.agent_type, Some(project_id), &mut cli.daemon).await?;
            let params = OpenOrchestratorParams {
                project_id,
                command_id: Some(new_command_id()),
            };
            let opened = cli.call::<OpenOrchestrator>(&params).await?;
            Ok(opened.session.session_id)
        }
        (Some(SessionSelector::New), _) => Err(Failure::usage(
            "`--parent new` is not possible: the task belongs to a session that exists",
        )),
        (wanted, _) => target::existing(&mut cli.daemon, wanted, directory).await,
    }
}
