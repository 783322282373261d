//! What the commands do.

mod approve;
mod call;
mod cancel;
mod doctor;
mod fsck;
mod init;
mod models;
mod projects;
mod send;
mod sessions;
mod show;
mod status;
mod stdio;
mod stop;
mod sync_line;
mod tail;

use std::io::Read;

use tokio::runtime::Builder;

use crate::args::{Arguments, Command};
use crate::control::{Control, Link};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// The largest text that is read from standard input: no message or call may be larger.
const MAX_INPUT: u64 = 8 * 1024 * 1024;

/// Carries out a command line.
pub(crate) fn run(arguments: Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let link = Link::new(&arguments.global)?;
    if let Command::Fsck(args) = &arguments.command {
        return Err(fsck::run(args, arguments.global.json, &link));
    }
    if let Command::Doctor = arguments.command {
        return Err(doctor::run(arguments.global.json, &link));
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let ended = match arguments.command {
        Command::Stdio => stdio::run(&runtime, &link),
        command => runtime.block_on(dispatch(command, link, output)),
    };
    // A client that waits for its turn to start the daemon must not keep the program alive.
    runtime.shutdown_background();
    ended
}

async fn dispatch(command: Command, link: Link, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Send(args) => Box::pin(send::run(args, link, output)).await,
        Command::Tail(args) => Box::pin(tail::run(&args, link, output)).await,
        Command::Call(args) => call::run(&args, &link, output).await,
        Command::Stop => stop::run(link, output).await,
        Command::Sessions(args) => {
            sessions::run(&args, &mut Control::connect(link).await?, output).await
        }
        Command::Projects => projects::run(&mut Control::connect(link).await?, output).await,
        Command::Show(args) => show::run(&args, &mut Control::connect(link).await?, output).await,
        Command::Cancel(args) => {
            cancel::run(&args, &mut Control::connect(link).await?, output).await
        }
        Command::Approve(args) => {
            approve::run(&args, &mut Control::connect(link).await?, output).await
        }
        Command::Models(args) => {
            models::run(&args, &mut Control::connect(link).await?, output).await
        }
        Command::Init(args) => Box::pin(init::run(args, link, output)).await,
        Command::Status => status::run(&mut Control::connect(link).await?, output).await,
        Command::Stdio | Command::Fsck(_) | Command::Doctor => Ok(Exit::Success),
    }
}

/// Everything on standard input, which must be text of a bounded length.
fn read_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MAX_INPUT + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(Failure::usage("standard input is larger than 8 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| Failure::usage("standard input is not UTF-8 text"))
}
