//! The commands, one file each.

mod active_path;
mod agent_task_state;
mod agents;
mod approve;
mod archive;
mod blob;
mod branch;
mod call;
mod cancel;
mod clone;
mod compact;
mod completions;
mod config;
mod confirm;
mod context;
mod daemon_end;
mod delete;
mod doctor;
mod end_wait;
mod export;
mod files;
mod fsck;
mod gc;
mod graph;
mod import;
mod init;
mod input;
mod interrupted;
mod logs;
mod man;
mod models;
mod moved;
mod outgoing;
mod overview;
mod projects;
mod queue;
mod queue_pause;
mod rename;
mod resend;
mod restart;
mod restored;
mod rewind;
mod runners;
mod runtimes;
mod search;
mod send;
mod service;
mod sessions;
mod show;
mod size_text;
mod skills;
mod spawn;
mod stall;
mod status;
mod stdio;
mod steer;
mod stop;
mod sync_line;
mod tail;
mod tree;
mod trust;
mod upgrade_notice;
mod usage;
mod wait;
mod worktrees;

use tokio::runtime::Builder;

use crate::args::{CliArguments, CliCommand};
use crate::daemon::{DaemonClient, DaemonConnector};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Runs the command.
pub(crate) fn run(arguments: CliArguments, output: &mut Output) -> Result<Exit, Failure> {
    if let CliCommand::Completions(args) = &arguments.command {
        return completions::run(args, output);
    }
    match &arguments.command {
        CliCommand::Man(args) => return man::run(args, output),
        CliCommand::Commands => return overview::commands(output),
        CliCommand::ExitCodes => return overview::exit_codes(output),
        _ => {}
    }
    let link = DaemonConnector::new(&arguments.global)?;
    if let CliCommand::Fsck(args) = &arguments.command {
        return Err(fsck::run(args, arguments.global.json, &link));
    }
    if let CliCommand::Doctor = arguments.command {
        return Err(doctor::run(arguments.global.json, &link));
    }
    if let CliCommand::Config(args) = &arguments.command {
        return Err(config::run(args, arguments.global.json, &link));
    }
    if let CliCommand::Service(args) = &arguments.command {
        return service::run(args, &link, output);
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let ended = match arguments.command {
        CliCommand::Stdio => stdio::run(&runtime, &link),
        command => runtime.block_on(dispatch(command, link, output)),
    };
    // A blocking task that still waits for the start lock must not keep the program alive.
    runtime.shutdown_background();
    ended
}

async fn dispatch(
    command: CliCommand,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match command {
        CliCommand::Send(args) => Box::pin(send::run(args, link, output)).await,
        CliCommand::Tail(args) => Box::pin(tail::run(&args, link, output)).await,
        CliCommand::Wait(args) => Box::pin(wait::run(&args, link, output)).await,
        CliCommand::Call(args) => call::run(&args, &link, output).await,
        CliCommand::Stop => stop::run(link, output).await,
        CliCommand::Restart => restart::run(link, output).await,
        CliCommand::Resend(args) => Box::pin(resend::run(args, link, output)).await,
        CliCommand::Compact(args) => Box::pin(compact::run(&args, link, output)).await,
        CliCommand::Spawn(args) => Box::pin(spawn::run(&args, link, output)).await,
        CliCommand::Init(args) => Box::pin(init::run(args, link, output)).await,
        CliCommand::Logs(args) => logs::run(&args, link.home(), output).await,
        CliCommand::Status(args) => status::run(&args, link, output).await,
        command => {
            let mut control = DaemonClient::connect(link).await?;
            with_daemon(command, &mut control, output).await
        }
    }
}

async fn with_daemon(
    command: CliCommand,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match command {
        CliCommand::Sessions(args) => sessions::run(&args, control, output).await,
        CliCommand::Search(args) => search::run(&args, control, output).await,
        CliCommand::Projects(args) => projects::run(&args, control, output).await,
        CliCommand::Show(args) => show::run(&args, control, output).await,
        CliCommand::Steer(args) => steer::run(&args, control, output).await,
        CliCommand::Queue(args) => queue::run(&args, control, output).await,
        CliCommand::Tree(args) => tree::run(&args, control, output).await,
        CliCommand::Rewind(args) => rewind::run(&args, control, output).await,
        CliCommand::Branch(args) => branch::run(&args, control, output).await,
        CliCommand::Clone(args) => clone::run(&args, control, output).await,
        CliCommand::Rename(args) => rename::run(&args, control, output).await,
        CliCommand::Archive(args) => archive::run(&args, control, output).await,
        CliCommand::Delete(args) => delete::run(&args, control, output).await,
        CliCommand::Undelete(args) => delete::undelete(&args, control, output).await,
        CliCommand::Export(args) => export::run(&args, control, output).await,
        CliCommand::Import(args) => import::run(&args, control, output).await,
        CliCommand::Gc(args) => gc::run(&args, control, output).await,
        CliCommand::Files(args) => files::run(&args, control, output).await,
        CliCommand::Cancel(args) => cancel::run(&args, control, output).await,
        CliCommand::EndWait(args) => end_wait::run(&args, control, output).await,
        CliCommand::Usage(args) => usage::run(&args, control, output).await,
        CliCommand::Context(args) => context::run(&args, control, output).await,
        CliCommand::Approve(args) => approve::run(&args, control, output).await,
        CliCommand::Models(args) => models::run(&args, control, output).await,
        CliCommand::Runners(args) => runners::run(&args, control, output).await,
        CliCommand::Agents(args) => agents::run(&args, control, output).await,
        CliCommand::Runtimes(args) => runtimes::run(&args, control, output).await,
        CliCommand::Graph(args) => graph::run(&args, control, output).await,
        CliCommand::Worktrees(args) => worktrees::run(&args, control, output).await,
        CliCommand::Skills(args) => skills::run(&args, control, output).await,
        CliCommand::Trust(args) => trust::run(&args, control, output).await,
        // Run elsewhere.
        CliCommand::Stdio
        | CliCommand::Send(_)
        | CliCommand::Tail(_)
        | CliCommand::Wait(_)
        | CliCommand::Call(_)
        | CliCommand::Stop
        | CliCommand::Restart
        | CliCommand::Resend(_)
        | CliCommand::Compact(_)
        | CliCommand::Spawn(_)
        | CliCommand::Init(_)
        | CliCommand::Logs(_)
        | CliCommand::Status(_)
        | CliCommand::Fsck(_)
        | CliCommand::Doctor
        | CliCommand::Config(_)
        | CliCommand::Service(_)
        | CliCommand::Completions(_)
        | CliCommand::Commands
        | CliCommand::ExitCodes
        | CliCommand::Man(_) => Ok(Exit::Success),
    }
}
