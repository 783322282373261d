use std::io;

use scorel_proto::{
    CheckRunner, CheckRunnerParams, ForgetContext, ForgetContextParams, ListRunners,
    ListRunnersParams, ListRunnersResult, RunnerInfo, RunnerType, Session,
};

use crate::args::{RunnersArgs, RunnersCommand, TargetArgs};
use crate::daemon::{DaemonClient, new_command_id};
use crate::escape::one_line;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::target;

/// Columns of a runner's name.
const NAME_WIDTH: usize = 20;

pub(super) async fn run(
    args: &RunnersArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match &args.action {
        None => list(args, control, output).await?,
        Some(RunnersCommand::Check { runner }) => check(runner, control, output).await?,
        Some(RunnersCommand::Contexts(target)) => contexts(target, control, output).await?,
        Some(RunnersCommand::Forget { runner, target }) => {
            forget(runner, target, control, output).await?;
        }
    }
    Ok(Exit::Success)
}

async fn list(
    args: &RunnersArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<(), Failure> {
    let directory = target::project_directory(args.project.as_deref())?;
    // A look registers no project.
    let project = target::project(control, &directory).await?;
    let params = ListRunnersParams {
        project_id: project.map(|project| project.project_id),
    };
    let answer = control.call::<ListRunners>(&params).await?;
    result(output, &answer, |output| table(&answer, output))?;
    Ok(())
}

fn table(answer: &ListRunnersResult, output: &mut Output) -> io::Result<()> {
    for runner in &answer.runners {
        output.line(&row(runner))?;
        if let Some(problem) = &runner.problem {
            output.line(&format!("    {}", one_line(&problem.message)))?;
            if let Some(hint) = &problem.hint {
                output.line(&format!("    hint: {}", one_line(hint)))?;
            }
        }
    }
    Ok(())
}

fn row(runner: &RunnerInfo) -> String {
    let name = one_line(&runner.name);
    let state = match (&runner.problem, &runner.version) {
        (Some(problem), _) => problem.kind.code().trim_start_matches("runner_"),
        (None, Some(version)) => version,
        (None, None) => "ready",
    };
    let state = one_line(state);
    let kind = type_name(runner.runner_type);
    let line = format!(
        "{name:<NAME_WIDTH$}  {kind:<12}  {state:<14}  {}",
        abilities(runner)
    );
    line.trim_end().to_owned()
}

const fn type_name(runner_type: RunnerType) -> &'static str {
    match runner_type {
        RunnerType::Scorel => "scorel",
        RunnerType::Codex => "codex",
        RunnerType::ClaudeCode => "claude-code",
        RunnerType::Acp => "acp",
        RunnerType::Command => "command",
        RunnerType::Other => "other",
    }
}

fn abilities(runner: &RunnerInfo) -> String {
    let can = &runner.capabilities;
    let names = [
        (can.permissions, "asks"),
        (can.steer, "steer"),
        (can.resume, "resume"),
        (can.images, "images"),
        (can.usage, "usage"),
        (can.cost, "cost"),
    ];
    let had = names.iter().filter(|(can, _)| *can).map(|(_, name)| *name);
    had.collect::<Vec<_>>().join(" ")
}

async fn check(
    runner: &str,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<(), Failure> {
    let params = CheckRunnerParams {
        runner: runner.to_owned(),
    };
    let answer = control.call::<CheckRunner>(&params).await?;
    result(output, &answer, |output| {
        let (name, version) = (&answer.runner.name, answer.runner.version.as_deref());
        let version = version.map(|version| format!(" {version}"));
        let line = format!(
            "{name}{} is ready: it started in {} ms",
            version.unwrap_or_default(),
            answer.duration_ms
        );
        output.line(&one_line(&line))
    })?;
    Ok(())
}

async fn contexts(
    args: &TargetArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<(), Failure> {
    let session = session(args, control).await?;
    let contexts = &session.runner_contexts;
    result(output, contexts, |output| {
        contexts.iter().try_for_each(|(runner, context)| {
            let line = format!(
                "{runner:<NAME_WIDTH$}  {}  {}",
                context.context_id, context.cwd
            );
            output.line(&one_line(&line))
        })
    })?;
    if contexts.is_empty() {
        output.note("no runner keeps a context of the session")?;
    }
    Ok(())
}

async fn forget(
    runner: &str,
    args: &TargetArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<(), Failure> {
    let session_id = session(args, control).await?.session_id;
    let params = ForgetContextParams {
        session_id,
        runner: runner.to_owned(),
        command_id: Some(new_command_id()),
    };
    let answer = control.call::<ForgetContext>(&params).await?;
    result(output, &answer, |output| {
        let line = match answer.seq {
            Some(_) => format!("{runner} begins a new context with its next turn"),
            None => format!("{runner} keeps no context of the session"),
        };
        output.line(&one_line(&line))
    })?;
    Ok(())
}

async fn session(args: &TargetArgs, control: &mut DaemonClient) -> Result<Session, Failure> {
    let id = target::existing(control, &args.session, args.project.as_deref()).await?;
    target::get(control, id).await
}
