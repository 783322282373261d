//! Gives an agent a task, and waits for what comes of it if asked to.

mod follow;
pub(super) mod host_feed;
mod progress;

use scorel_proto::{
    AgentTaskId, GetRuntime, GetRuntimeParams, ListAgents, ListAgentsParams, OpenOrchestrator,
    OpenOrchestratorParams, ProjectId, SessionId, SpawnRuntime, SpawnRuntimeParams,
    SpawnRuntimeResult,
};

use super::input::message_text;
use crate::args::SpawnArgs;
use crate::cli::Cli;
use crate::daemon::{DaemonClient, DaemonConnector, new_command_id};
use crate::escape::one_line;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::output::Output;
use crate::selector::SessionSelector;
use crate::target;
use crate::unknown_agent::unknown_agent;
use follow::AgentTaskFollower;

pub(super) async fn run(
    args: &SpawnArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let prompt = message_text(&args.prompt, &format!("spawn {}", args.agent_type))?.whole();
    let mut interrupts = Interrupts::listen()?;
    let (daemon, spawned) = tokio::select! {
        spawned = spawn(args, prompt, link) => spawned?,
        () = interrupts.next() => return Ok(Exit::Interrupted),
    };
    tell(args, &spawned, output)?;
    if !args.wait {
        return Ok(Exit::Success);
    }
    let mut follow = AgentTaskFollower::new(Cli { daemon, output }, spawned);
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

async fn spawn(
    args: &SpawnArgs,
    prompt: String,
    link: DaemonConnector,
) -> Result<(DaemonClient, SpawnRuntimeResult), Failure> {
    let mut control = DaemonClient::connect(link).await?;
    let continued = match &args.continued {
        Some(runtime) => Some(runtime.find(&mut control).await?),
        None => None,
    };
    let params = SpawnRuntimeParams {
        session_id: parent(args, continued, &mut control).await?,
        agent_type: args.agent_type.clone(),
        prompt,
        title: args.title.clone(),
        workflow_id: args.workflow.clone(),
        continued,
        deliver: Some(args.deliver),
        command_id: Some(new_command_id()),
    };
    let spawned = control.call::<SpawnRuntime>(&params).await?;
    Ok((control, spawned))
}

/// Fails if there is no such agent. Before the orchestrator is opened: a typo must not leave a session.
async fn check_agent(
    agent_type: &str,
    project_id: ProjectId,
    control: &mut DaemonClient,
) -> Result<(), Failure> {
    let params = ListAgentsParams {
        project_id: Some(project_id),
    };
    let known = control.call::<ListAgents>(&params).await?.agents;
    if known.iter().any(|agent| agent.agent_type == agent_type) {
        return Ok(());
    }
    Err(unknown_agent(agent_type, &known))
}

/// The session that gives the task: the selected one, the one that gave the continued task, else the
/// project's orchestrator.
async fn parent(
    args: &SpawnArgs,
    continued: Option<AgentTaskId>,
    control: &mut DaemonClient,
) -> Result<SessionId, Failure> {
    let directory = args.project.as_deref();
    match (args.parent.as_ref(), continued) {
        (None, Some(runtime_id)) => {
            let params = GetRuntimeParams { runtime_id };
            let before = control.call::<GetRuntime>(&params).await?;
            Ok(before.runtime.parent_session_id)
        }
        (None, None) => {
            let directory = target::project_directory(directory)?;
            let project_id = target::register(control, &directory).await?.project_id;
            check_agent(&args.agent_type, project_id, control).await?;
            let params = OpenOrchestratorParams {
                project_id,
                command_id: Some(new_command_id()),
            };
            let opened = control.call::<OpenOrchestrator>(&params).await?;
            Ok(opened.session.session_id)
        }
        (Some(SessionSelector::New), _) => Err(Failure::usage(
            "`--parent new` is not possible: the task belongs to a session that exists",
        )),
        (wanted, _) => target::existing(control, wanted, directory).await,
    }
}
