use std::env;
use std::ffi::OsStr;

use clap::{Arg, Command, ValueHint};
use clap_complete::{ArgValueCompleter, CompletionCandidate};

use scorel_client::DaemonHome;

use super::daemon_values::DaemonValues;
use super::typed_words::TypedWords;
use crate::devices::Devices;

/// Gives each argument what completes it. The name of its value in the help decides, so that an argument
/// of a new verb is completed too.
pub(super) fn with_completers(command: Command, words: &TypedWords) -> Command {
    command
        .mut_args(|argument| completed(argument, words))
        .mut_subcommands(|command| with_completers(command, words))
}

fn completed(argument: Arg, words: &TypedWords) -> Arg {
    let names = argument.get_value_names().unwrap_or_default();
    let Some(name) = names.first().map(ToString::to_string) else {
        return argument;
    };
    if ["remote", "device"].contains(&argument.get_id().as_str()) {
        let words = words.clone();
        let machines = move |typed: &OsStr| machines(&typed.to_string_lossy(), &words);
        return argument.add(ArgValueCompleter::new(machines));
    }
    let values = match &*name {
        "DIR" => return argument.value_hint(ValueHint::DirPath),
        "FILE" => return argument.value_hint(ValueHint::FilePath),
        "ID|PART" | "ID|PART|new" | "SESSION" => DaemonValues::Sessions,
        "MODEL" => DaemonValues::Models,
        "RUNNER" => DaemonValues::Runners,
        "TYPE" => DaemonValues::Agents,
        "SERVER" => DaemonValues::McpServers,
        _ => return argument,
    };
    let words = words.clone();
    argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
        candidates(values, &typed.to_string_lossy(), &words)
    }))
}

/// The machines of `scorelctl remote list`.
fn machines(typed: &str, words: &TypedWords) -> Vec<CompletionCandidate> {
    let home = DaemonHome::resolve(words.home().as_deref(), |name| env::var_os(name));
    let known = home.ok().and_then(|home| Devices::of(&home).all().ok());
    let known = known.unwrap_or_default().into_iter();
    known
        .filter(|device| device.name.starts_with(typed))
        .map(|device| CompletionCandidate::new(device.name).help(Some(device.address.into())))
        .collect()
}

/// The values that a running daemon knows. Without a daemon there are none.
fn candidates(values: DaemonValues, typed: &str, words: &TypedWords) -> Vec<CompletionCandidate> {
    let found = values.ask(typed, words).into_iter();
    found
        .map(|(value, help)| {
            let help = (!help.is_empty()).then(|| help.into());
            CompletionCandidate::new(value).help(help)
        })
        .collect()
}
