use std::{env, io};

use clap::{Arg, Command, CommandFactory as _};
use clap_complete::{ArgValueCandidates, CompleteEnv, CompletionCandidate};

use crate::args::Args;
use crate::config;

/// The variable that has the shell's name when there is something to complete. `scorelctl` sets it for
/// the commands that this program runs for it.
const VARIABLE: &str = "SCORELD_COMPLETE";

/// Prints the candidates if a shell asks for them. Returns whether it does.
pub(crate) fn complete_if_asked() -> io::Result<bool> {
    CompleteEnv::with_factory(|| with_keys(Args::command()))
        .var(VARIABLE)
        .try_complete(env::args_os(), env::current_dir().ok().as_deref())
        .map_err(io::Error::other)
}

/// Gives the arguments that are keys of the configuration those that there are.
fn with_keys(command: Command) -> Command {
    command.mut_args(with_key).mut_subcommands(with_keys)
}

fn with_key(argument: Arg) -> Arg {
    let names = argument.get_value_names().unwrap_or_default();
    if !names.iter().any(|name| *name == "KEY" || *name == "PREFIX") {
        return argument;
    }
    let keys = || config::keys().into_iter().map(CompletionCandidate::new);
    argument.add(ArgValueCandidates::new(move || keys().collect()))
}
