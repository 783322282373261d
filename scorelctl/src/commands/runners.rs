use std::io;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use scorel_proto::{
    CheckRunner, CheckRunnerParams, ForgetContext, ForgetContextParams, ListRunners,
    ListRunnersParams, ListRunnersResult, RunnerContext, RunnerInfo,
};

use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::output::Output;
use crate::wire_name::wire_name;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct RunnersArgs {
    /// Project directory, for its permission mode [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) action: Option<RunnersCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunnersCommand {
    /// Start a runner without a prompt, and end it again: is it installed, does it answer, is it logged in?
    Check {
        /// A runner that `scorelctl runners` lists
        #[arg(value_name = "RUNNER", value_parser = NonEmptyStringValueParser::new())]
        runner: String,
    },
    /// List the contexts that runners keep of a session
    Contexts(TargetArgs),
    /// Give up the context that a runner keeps of a session: its next turn begins a new one
    Forget {
        /// A runner that `scorelctl runners contexts` lists
        #[arg(value_name = "RUNNER", value_parser = NonEmptyStringValueParser::new())]
        runner: String,
        #[command(flatten)]
        target: TargetArgs,
    },
}

/// Columns of a runner's name.
const NAME_WIDTH: usize = 20;

pub(super) async fn run(args: &RunnersArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    match &args.action {
        None => list(args, cli).await,
        Some(RunnersCommand::Check { runner }) => check(runner, cli).await,
        Some(RunnersCommand::Contexts(target)) => contexts(target, cli).await,
        Some(RunnersCommand::Forget { runner, target }) => forget(runner, target, cli).await,
    }
}

async fn list(args: &RunnersArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = ListRunnersParams {
        project_id: cli.project_or_none(args.project.as_deref()).await?,
    };
    let answer = cli.call::<ListRunners>(&params).await?;
    cli.result(&answer, |output| table(&answer, output))
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
        (Some(problem), _) => problem.kind.name().trim_start_matches("runner_"),
        (None, Some(version)) => version,
        (None, None) => "ready",
    };
    let state = one_line(state);
    let kind = wire_name(runner.runner_type);
    let line = format!(
        "{name:<NAME_WIDTH$}  {kind:<12}  {state:<14}  {}",
        abilities(runner)
    );
    line.trim_end().to_owned()
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

async fn check(runner: &str, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = CheckRunnerParams {
        runner: runner.to_owned(),
    };
    cli.tell::<CheckRunner>(&params, |answer| {
        let (name, version) = (&answer.runner.name, answer.runner.version.as_deref());
        let version = version.map(|version| format!(" {version}"));
        let text = format!(
            "{name}{} is ready: it started in {} ms",
            version.unwrap_or_default(),
            answer.duration_ms
        );
        one_line(&text)
    })
    .await
}

async fn contexts(args: &TargetArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(args).await?;
    let session = cli.session(session_id).await?;
    let contexts = &session.runner_contexts;
    let row = |(runner, context): (&String, &RunnerContext)| {
        let (id, cwd) = (&context.context_id, &context.cwd);
        one_line(&format!("{runner:<NAME_WIDTH$}  {id}  {cwd}"))
    };
    let none = "no runner keeps a context of the session";
    cli.list(contexts, contexts.iter().map(row), none)
}

async fn forget(runner: &str, args: &TargetArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(args).await?;
    let params = ForgetContextParams {
        session_id,
        runner: runner.to_owned(),
        command_id: Some(new_command_id()),
    };
    cli.tell::<ForgetContext>(&params, |answer| {
        one_line(&match answer.seq {
            Some(_) => format!("{runner} begins a new context with its next turn"),
            None => format!("{runner} keeps no context of the session"),
        })
    })
    .await
}
