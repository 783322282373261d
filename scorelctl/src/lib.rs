//! The command line client of Scorel: a thin program around [`scorel_client`].
//!
//! Results go to standard output, talk goes to standard error, and `--json` makes both readable
//! for programs. On a terminal, text that models and tools made is shown with its control
//! characters visible, so that nothing in a session can steer the terminal.
//!
//! # Exit codes
//!
//! The exit codes are a stable interface; see [`Exit`].

mod args;
mod commands;
mod control;
mod escape;
mod exit;
mod failure;
mod interrupts;
mod output;
mod question;
mod render;
mod target;
mod wanted;

use std::io;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use args::Arguments;
pub use exit::Exit;
use failure::Failure;
use output::Output;

/// Runs the program with the arguments and the environment of the process.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return not_parsed(&error).into(),
    };
    let mut output = Output::standard(arguments.global.json);
    let ended = commands::run(arguments, &mut output);
    finish(ended, &mut output).into()
}

/// Says what is left to say. Whoever closed the output does not want to know.
fn finish(ended: Result<Exit, Failure>, output: &mut Output) -> Exit {
    let flushed = output.flush().map_err(Failure::from);
    match ended.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) => exit,
        Err(Failure::OutputClosed) => Exit::Success,
        Err(Failure::Report(report)) => {
            // If standard error is closed, too, the exit code still tells.
            let _ = output.report(&report);
            report.exit
        }
    }
}

/// Help and the version are results; everything else is a mistake in the command line.
fn not_parsed(error: &clap::Error) -> Exit {
    let json = std::env::args_os().any(|argument| argument == "--json");
    let mut output = Output::standard(json);
    let text = error.render().to_string();
    let written: io::Result<Exit> = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output.raw(&text).map(|()| Exit::Success)
        }
        _ if json => {
            return finish(Err(Failure::usage(text.trim())), &mut output);
        }
        _ => output.aside(&text).map(|()| Exit::Usage),
    };
    finish(written.map_err(Failure::from), &mut output)
}
