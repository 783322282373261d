//! Completes command lines for the shell. The script that `scorelctl completions` prints runs this
//! program, with a variable set, at each press of the key.

mod daemon_values;
mod typed_words;
mod value_completers;

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command as Process;

use clap::Command;
use clap_complete::CompleteEnv;

use crate::daemon::daemon_program;
use typed_words::TypedWords;
use value_completers::with_completers;

/// The variable that has the shell's name when there is something to complete.
pub(crate) const VARIABLE: &str = "SCORELCTL_COMPLETE";

/// Prints the candidates if a shell asks for them. Returns whether it does. `root` makes the whole command line.
pub(crate) fn complete_if_asked(root: fn() -> Command) -> io::Result<bool> {
    let Some(shell) = env::var_os(VARIABLE).filter(|shell| !shell.is_empty()) else {
        return Ok(false);
    };
    let words = TypedWords::of_this_process();
    if let Some(at) = words.position_of("config") {
        return Err(of_daemon_program(&shell, &words, at));
    }
    let command = || with_completers(root(), &words);
    let completed = CompleteEnv::with_factory(command)
        .var(VARIABLE)
        .try_complete(env::args_os(), env::current_dir().ok().as_deref());
    completed.map_err(io::Error::other)
}

/// Has `scoreld` complete the words of a command that it runs; returns only if it cannot be started.
fn of_daemon_program(shell: &OsString, words: &TypedWords, at: usize) -> io::Error {
    let mut process = Process::new(daemon_program(env::var_os("SCORELD")));
    process
        .env_remove(VARIABLE)
        .env("SCORELD_COMPLETE", shell)
        .args(["--", "scoreld"])
        .args(words.from(at));
    if let Some(index) = words.index() {
        // The words before the command are left out, and the program's name stands for them.
        process.env("_CLAP_COMPLETE_INDEX", (index + 1 - at).to_string());
    }
    if let Some(home) = words.home() {
        process.env("SCOREL_HOME", home);
    }
    process.exec()
}

#[cfg(test)]
mod tests;
