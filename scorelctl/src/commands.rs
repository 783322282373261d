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
mod confirm;
mod context;
mod cost_text;
mod daemon_end;
mod delete;
mod end_wait;
mod export;
mod files;
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
mod records;
mod rename;
mod resend;
mod restart;
mod restored;
mod rewind;
mod runners;
mod runtimes;
mod scoreld;
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
mod stream_end;
mod sync_line;
mod tail;
mod tree;
mod trust;
mod upgrade_notice;
mod usage;
mod wait;
mod worktrees;

use tokio::runtime::{Builder, Runtime};

use crate::args::{CliArguments, CliCommand, ConnectedCommand};
use crate::cli::Cli;
use crate::daemon::DaemonConnector;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
pub(crate) fn run(arguments: CliArguments, output: &mut Output) -> Result<Exit, Failure> {
    let CliArguments { global, command } = arguments;
    let link = || DaemonConnector::new(&global);
    let done = |()| Exit::Success;
    match command {
        CliCommand::Completions(args) => completions::run(&args, output).map(done),
        CliCommand::Man(args) => man::run(&args, output).map(done),
        CliCommand::Commands => overview::commands(output).map(done),
        CliCommand::ExitCodes => overview::exit_codes(output).map(done),
        CliCommand::Fsck(args) => Err(scoreld::fsck(&args, global.json, &link()?)),
        CliCommand::Doctor => Err(scoreld::doctor(global.json, &link()?)),
        CliCommand::Config(args) => Err(scoreld::config(&args, global.json, &link()?)),
        CliCommand::Service(args) => service::run(&args, &link()?, output).map(done),
        CliCommand::Stdio => with_runtime(|runtime| stdio::run(runtime, &link()?)),
        CliCommand::Send(args) => wait_for(send::run(args, link()?, output)),
        CliCommand::Tail(args) => wait_for(tail::run(&args, link()?, output)),
        CliCommand::Wait(args) => wait_for(wait::run(&args, link()?, output)),
        CliCommand::Call(args) => wait_for(call::run(&args, &link()?, output)).map(done),
        CliCommand::Stop => wait_for(stop::run(link()?, output)).map(done),
        CliCommand::Restart => wait_for(restart::run(link()?, output)).map(done),
        CliCommand::Spawn(args) => wait_for(spawn::run(&args, link()?, output)),
        CliCommand::Init(args) => wait_for(init::run(args, link()?, output)).map(done),
        CliCommand::Logs(args) => wait_for(logs::run(&args, link()?.home(), output)).map(done),
        CliCommand::Status(args) => wait_for(status::run(&args, link()?, output)).map(done),
        CliCommand::Connected(command) => wait_for(connected(command, link()?, output)),
    }
}

/// Runs a command that waits for something.
fn wait_for<T>(command: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    with_runtime(|runtime| runtime.block_on(command))
}

fn with_runtime<T>(run: impl FnOnce(&Runtime) -> Result<T, Failure>) -> Result<T, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let ended = run(&runtime);
    // A blocking task that still waits for the start lock must not keep the program alive.
    runtime.shutdown_background();
    ended
}

/// Connects, which starts the daemon if that is necessary and allowed, and runs the command.
async fn connected(
    command: ConnectedCommand,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let cli = &mut Cli::connect(link, output).await?;
    match command {
        ConnectedCommand::Sessions(args) => sessions::run(&args, cli).await,
        ConnectedCommand::Search(args) => search::run(&args, cli).await,
        ConnectedCommand::Projects(args) => projects::run(&args, cli).await,
        ConnectedCommand::Show(args) => show::run(&args, cli).await,
        ConnectedCommand::Steer(args) => steer::run(&args, cli).await,
        ConnectedCommand::Queue(args) => queue::run(&args, cli).await,
        ConnectedCommand::Tree(args) => tree::run(&args, cli).await,
        ConnectedCommand::Rewind(args) => rewind::run(&args, cli).await,
        ConnectedCommand::Branch(args) => branch::run(&args, cli).await,
        ConnectedCommand::Clone(args) => clone::run(&args, cli).await,
        ConnectedCommand::Rename(args) => rename::run(&args, cli).await,
        ConnectedCommand::Archive(args) => archive::run(&args, cli).await,
        ConnectedCommand::Delete(args) => return delete::run(&args, cli).await,
        ConnectedCommand::Undelete(args) => delete::undelete(&args, cli).await,
        ConnectedCommand::Export(args) => export::run(&args, cli).await,
        ConnectedCommand::Import(args) => import::run(&args, cli).await,
        ConnectedCommand::Resend(args) => return Box::pin(resend::run(args, cli)).await,
        ConnectedCommand::Gc(args) => gc::run(&args, cli).await,
        ConnectedCommand::Files(args) => files::run(&args, cli).await,
        ConnectedCommand::Cancel(args) => cancel::run(&args, cli).await,
        ConnectedCommand::EndWait(args) => end_wait::run(&args, cli).await,
        ConnectedCommand::Compact(args) => compact::run(&args, cli).await,
        ConnectedCommand::Usage(args) => usage::run(&args, cli).await,
        ConnectedCommand::Context(args) => context::run(&args, cli).await,
        ConnectedCommand::Approve(args) => approve::run(&args, cli).await,
        ConnectedCommand::Models(args) => models::run(&args, cli).await,
        ConnectedCommand::Runners(args) => runners::run(&args, cli).await,
        ConnectedCommand::Agents(args) => agents::run(&args, cli).await,
        ConnectedCommand::Runtimes(args) => runtimes::run(&args, cli).await,
        ConnectedCommand::Graph(args) => graph::run(&args, cli).await,
        ConnectedCommand::Worktrees(args) => worktrees::run(&args, cli).await,
        ConnectedCommand::Skills(args) => skills::run(&args, cli).await,
        ConnectedCommand::Trust(args) => trust::run(&args, cli).await,
    }?;
    Ok(Exit::Success)
}
