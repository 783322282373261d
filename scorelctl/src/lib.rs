//! The command-line client of Scorel, a thin program around [`scorel_client`].
//!
//! Results go to standard output, messages about them to standard error; `--json` makes both
//! machine-readable. On a terminal, text from models and tools is printed with its control
//! characters made visible, so that nothing in a session can control the terminal.
//!
//! The exit codes are a stable interface; see `Exit`.

mod agent_task_selector;
mod aligned;
mod args;
mod cli;
mod commands;
mod completion;
mod daemon;
mod daemon_info;
mod daemon_lock;
mod devices;
mod exit;
mod failure;
mod id_part;
mod interrupts;
mod known_agent;
mod moment;
mod output;
mod pager;
mod question;
mod render;
mod run_selector;
mod selector;
mod similar;
mod target;
mod turn_selector;
mod turn_tree;
mod typed_answer;
mod wire_name;
mod worktree_selector;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser};

use commands::CliArguments;
use exit::Exit;
use failure::{Failure, FailureReport};
use output::Output;

/// Runs the program with the process's arguments and environment.
pub fn main() -> ExitCode {
    match completion::complete_if_asked(CliArguments::command) {
        Ok(false) => {}
        Ok(true) => return Exit::Success.into(),
        // No message: the shell shows any output as a part of the line.
        Err(_) => return Exit::Internal.into(),
    }
    let arguments = match CliArguments::try_parse_from(words()) {
        Ok(arguments) => arguments,
        Err(error) => return not_parsed(&with_meant_verb(error)).into(),
    };
    let mut output = Output::standard(arguments.global.json);
    let ended = commands::run(arguments, &mut output);
    finish(ended, &mut output).into()
}

/// The words of the command line. `help config …` becomes `config … --help`: another program has the commands of
/// `config`.
fn words() -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words
        .get(1..3)
        .is_some_and(|first| first == ["help", "config"])
    {
        words.remove(1);
        words.push("--help".into());
    }
    words
}

/// Flushes the output and reports a failure. A closed output (`scorelctl show | head`) is a
/// success.
fn finish(ended: Result<Exit, Failure>, output: &mut Output) -> Exit {
    let flushed = output.flush().and_then(|()| output.end_page());
    let flushed = flushed.map_err(Failure::from);
    let report = match ended.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) if exit == Exit::Success || !output.json => return exit,
        Ok(exit) => Box::new(FailureReport::of_end(exit)),
        Err(Failure::OutputClosed) => return Exit::Success,
        Err(Failure::Report(report)) => report,
    };
    // If standard error is closed as well, only the exit code is left to tell.
    let _ = output.report(&report);
    report.exit
}

/// Verbs of other programs, and ours that do it.
const MEANT: [(&str, &str); 12] = [
    ("login", "init"),
    ("auth", "init"),
    ("setup", "init"),
    ("configure", "config"),
    ("ls", "sessions"),
    ("list", "sessions"),
    ("ps", "sessions"),
    ("chat", "attach"),
    ("resume", "attach"),
    ("new", "attach"),
    ("ask", "send"),
    ("run", "send"),
];

/// The error with the verb that was probably meant, where that does not look like the one that was typed.
fn with_meant_verb(mut error: clap::Error) -> clap::Error {
    let typed = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(typed)) => typed.to_lowercase(),
        _ => return error,
    };
    if let Some((_, verb)) = MEANT.iter().find(|(name, _)| *name == typed) {
        let meant = ContextValue::Strings(vec![(*verb).to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    error
}

/// Prints help or the version to standard output, or a usage error. `--json` cannot be taken from
/// arguments that did not parse, so they are searched for it.
fn not_parsed(error: &clap::Error) -> Exit {
    let json = std::env::args_os().any(|argument| argument == "--json");
    let mut output = Output::standard(json);
    let text = error.render().to_string();
    let written: io::Result<Exit> = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output.raw(&text).map(|()| Exit::Success)
        }
        _ if json => return finish(Err(usage_failure(&text)), &mut output),
        _ => output.aside(&text).map(|()| Exit::Usage),
    };
    finish(written.map_err(Failure::from), &mut output)
}

/// The paragraphs of clap's message: the first says what is wrong, the others are tips.
fn usage_failure(text: &str) -> Failure {
    let one_line = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = text.split("\n\n").map(one_line);
    let problem = paragraphs.next().unwrap_or_default();
    let problem = problem.strip_prefix("error: ").unwrap_or(&problem);
    let tip = paragraphs.find_map(|it| it.strip_prefix("tip: ").map(str::to_owned));
    Failure::usage(problem).maybe_hint(tip)
}
