//! The commands, one file each.

mod approve;
mod call;
mod cancel;
mod doctor;
mod fsck;
mod init;
mod input;
mod interrupted;
mod models;
mod projects;
mod send;
mod sessions;
mod show;
mod skills;
mod stall;
mod status;
mod stdio;
mod stop;
mod sync_line;
mod tail;
mod trust;

use tokio::runtime::Builder;

use crate::args::{CliArguments, CliCommand};
use crate::daemon::{DaemonClient, DaemonConnector};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Runs the command.
pub(crate) fn run(arguments: CliArguments, output: &mut Output) -> Result<Exit, Failure> {
    let link = DaemonConnector::new(&arguments.global)?;
    if let CliCommand::Fsck(args) = &arguments.command {
        return Err(fsck::run(args, arguments.global.json, &link));
    }
    if let CliCommand::Doctor = arguments.command {
        return Err(doctor::run(arguments.global.json, &link));
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
        CliCommand::Call(args) => call::run(&args, &link, output).await,
        CliCommand::Stop => stop::run(link, output).await,
        CliCommand::Sessions(args) => {
            sessions::run(&args, &mut DaemonClient::connect(link).await?, output).await
        }
        CliCommand::Projects => {
            projects::run(&mut DaemonClient::connect(link).await?, output).await
        }
        CliCommand::Show(args) => {
            show::run(&args, &mut DaemonClient::connect(link).await?, output).await
        }
        CliCommand::Cancel(args) => {
            cancel::run(&args, &mut DaemonClient::connect(link).await?, output).await
        }
        CliCommand::Approve(args) => {
            approve::run(&args, &mut DaemonClient::connect(link).await?, output).await
        }
        CliCommand::Models(args) => {
            models::run(&args, &mut DaemonClient::connect(link).await?, output).await
        }
        CliCommand::Skills(args) => {
            skills::run(&args, &mut DaemonClient::connect(link).await?, output).await
        }
        CliCommand::Trust(args) => {
            trust::run(&args, &mut DaemonClient::connect(link).await?, output).await
        }
        CliCommand::Init(args) => Box::pin(init::run(args, link, output)).await,
        CliCommand::Status => status::run(link, output).await,
        CliCommand::Stdio | CliCommand::Fsck(_) | CliCommand::Doctor => Ok(Exit::Success),
    }
}
