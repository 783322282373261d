//! Runs of workflows: started, looked at, and changed.

mod audit;
mod by_name;
mod one_run;
mod shown_run;
mod start;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use scorel_proto::{
    DeleteRun, DeleteRunParams, ErrorCode, GetRun, GetRunParams, ListRuns, ListRunsParams,
    RebindRun, RebindRunParams, RepairRun, RepairRunParams, ResumeRun, ResumeRunParams, RunInfo,
    RunMode, RunRestore, RunResult, UpdateRun, UpdateRunParams,
};

use super::tail::{self, TailArgs};
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::{DaemonConnector, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::id_part::end_of;
use crate::output::Output;
use crate::selector::SessionSelector;
use audit::AuditArgs;
use one_run::OneRun;
use scorel_screen::escape::one_line;
use start::{RunVariable, StartArgs, variables};

pub(super) use by_name::run as run_by_name;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct RunArgs {
    #[command(subcommand)]
    pub(crate) command: RunCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunCommand {
    /// Show what a workflow would do, and start a run of it once that is confirmed
    Start(StartArgs),
    /// List runs, the last started first
    List {
        /// Project directory [default: the working directory]
        #[arg(long, short, value_name = "DIR")]
        project: Option<PathBuf>,
        /// List the runs of all projects
        #[arg(long, short, conflicts_with = "project")]
        all: bool,
    },
    /// Show a run: its graph, with the nodes that it was at, and what its document says
    Show {
        #[command(flatten)]
        run: OneRun,
    },
    /// Have a run go on from its document
    Resume(ResumeArgs),
    /// Move a run to another node, whatever its graph says
    Goto {
        #[command(flatten)]
        run: OneRun,
        /// The node
        #[arg(value_name = "NODE")]
        node: String,
    },
    /// Say what further messages to a run are for, or whether it goes on by itself
    Set {
        #[command(flatten)]
        run: OneRun,
        /// `run`: the run itself; `chat`: anything, without the run; `agent`: anything, in the words of its agent
        #[arg(long, value_name = "MODE", value_parser = mode)]
        mode: Option<RunMode>,
        /// Go on by itself, or not
        #[arg(long, value_name = "BOOL")]
        autopilot: Option<bool>,
    },
    /// Follow a run's session live
    Watch {
        #[command(flatten)]
        run: OneRun,
    },
    /// Write the model calls of a run to a file, for an auditor
    Audit(AuditArgs),
    /// Bind a run to its package as it is installed now
    Rebind {
        #[command(flatten)]
        run: OneRun,
    },
    /// Bring back the last good state of a run's document; the one that is there is kept beside it
    Repair {
        #[command(flatten)]
        run: OneRun,
    },
    /// Delete a run with its document; its sessions stay
    Rm {
        #[command(flatten)]
        run: OneRun,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    pub(crate) run: OneRun,
    /// In a new session
    #[arg(long)]
    pub(crate) new_session: bool,
    /// Set a variable of its document first; the value is JSON, or else a text
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<RunVariable>,
    /// A message to it
    #[arg(long, value_name = "TEXT")]
    pub(crate) input: Option<String>,
}

fn mode(name: &str) -> Result<RunMode, String> {
    name.parse()
}

pub(super) async fn run(
    args: RunArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if let RunCommand::Watch { run } = &args.command {
        return watch(run, link, output).await;
    }
    let cli = &mut Cli::connect(link, output).await?;
    match args.command {
        RunCommand::Start(args) => start::run(args, cli).await,
        RunCommand::List { project, all } => list(project, all, cli).await,
        RunCommand::Show { run } => show(&run, cli).await,
        RunCommand::Resume(args) => resume(args, cli).await,
        RunCommand::Goto { run, node } => {
            let change = |params| UpdateRunParams {
                goto: Some(node),
                ..params
            };
            update(&run, cli, change).await
        }
        RunCommand::Set {
            run,
            mode,
            autopilot,
        } => {
            let change = |params| UpdateRunParams {
                mode,
                autopilot,
                ..params
            };
            update(&run, cli, change).await
        }
        RunCommand::Watch { .. } => Ok(()),
        RunCommand::Audit(args) => audit::run(&args, cli).await,
        RunCommand::Rebind { run } => rebind(&run, cli).await,
        RunCommand::Repair { run } => repair(&run, cli).await,
        RunCommand::Rm { run } => remove(&run, cli).await,
    }?;
    Ok(Exit::Success)
}

async fn list(project: Option<PathBuf>, all: bool, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let mut params = ListRunsParams::default();
    if !all && cli.has_project(project.as_deref()) {
        params.project_id = cli.project_id(project.as_deref()).await?;
    }
    let answer = cli.call::<ListRuns>(&params).await?;
    let unreadable = answer.unreadable.iter().map(|it| {
        let id = end_of(&it.run_id);
        format!("{id}  unreadable   {}", one_line(&it.problem))
    });
    let rows: Vec<String> = answer.runs.iter().map(row).chain(unreadable).collect();
    cli.list(
        &answer,
        rows,
        "there are no runs; `scorelctl run start ID` starts one",
    )
}

fn row(run: &RunInfo) -> String {
    let about = match &run.problem {
        Some(problem) => one_line(&shown_run::problem(problem)),
        None => run.reason.name().replace('_', " "),
    };
    format!(
        "{}  {:<11}  {}  {}  {about}",
        end_of(&run.run_id),
        run.phase.name(),
        one_line(&run.workflow),
        one_line(&run.node_id),
    )
}

async fn show(run: &OneRun, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let run_id = run.run.find(&mut cli.daemon).await?;
    let answer = cli.call::<GetRun>(&GetRunParams { run_id }).await?;
    cli.result(&answer, |output| output.lines(shown_run::lines(&answer)))
}

async fn resume(args: ResumeArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = ResumeRunParams {
        run_id: args.run.run.find(&mut cli.daemon).await?,
        new_session: args.new_session.then_some(true),
        variables: variables(args.set),
        input: args.input,
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<ResumeRun>(&params).await?;
    cli.result(&answer, |output| {
        output.line(&format!("{}  {}", answer.run_id, answer.session_id))
    })?;
    start::say_watch(answer.run_id, cli)
}

async fn update(
    run: &OneRun,
    cli: &mut Cli<'_>,
    change: impl FnOnce(UpdateRunParams) -> UpdateRunParams,
) -> Result<(), Failure> {
    let params = change(UpdateRunParams {
        run_id: run.run.find(&mut cli.daemon).await?,
        autopilot: None,
        mode: None,
        goto: None,
        command_id: Some(new_command_id()),
    });
    cli.tell::<UpdateRun>(&params, changed).await
}

fn changed(answer: &RunResult) -> String {
    row(&answer.run)
}

async fn rebind(run: &OneRun, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = RebindRunParams {
        run_id: run.run.find(&mut cli.daemon).await?,
        digest: None,
        command_id: Some(new_command_id()),
    };
    cli.tell::<RebindRun>(&params, changed).await
}

async fn repair(run: &OneRun, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = RepairRunParams {
        run_id: run.run.find(&mut cli.daemon).await?,
        restore: RunRestore::LastGood,
        command_id: Some(new_command_id()),
    };
    let repaired = cli.tell::<RepairRun>(&params, changed).await;
    let hint = "mend the document itself: `scorelctl run show RUN` names its file";
    repaired.map_err(|failure| failure.hint_for(ErrorCode::StateInvalid, hint))
}

async fn remove(run: &OneRun, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = DeleteRunParams {
        run_id: run.run.find(&mut cli.daemon).await?,
        command_id: Some(new_command_id()),
    };
    let text = |answer: &scorel_proto::DeleteRunResult| format!("deleted {}", answer.run_id);
    cli.tell::<DeleteRun>(&params, text).await
}

async fn watch(run: &OneRun, link: DaemonConnector, output: &mut Output) -> Result<Exit, Failure> {
    let session = {
        let cli = &mut Cli::connect(link.clone(), output).await?;
        let run_id = run.run.find(&mut cli.daemon).await?;
        let found = cli.call::<GetRun>(&GetRunParams { run_id }).await?;
        found.run.session_id
    };
    let Some(session) = session else {
        let failure = Failure::refused("session_not_found", "the session of the run is gone");
        return Err(failure.hint("`scorelctl run resume RUN` goes on in a new one"));
    };
    let args = TailArgs {
        target: TargetArgs {
            session: Some(SessionSelector::Id(session)),
            project: None,
        },
        from_seq: None,
        follow: true,
        no_follow: false,
        start: false,
    };
    tail::run(&args, link, output).await
}
