//! Pages of help that are not of one command.

use clap::Command;
use serde::Serialize;
use serde_json::json;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Every command that is not hidden, in the order of the overview.
const GROUPS: [(&str, &str); 9] = [
    ("Talk", "attach send wait tail show approve"),
    ("Steer", "steer queue cancel end-wait"),
    ("Go back", "tree rewind resend branch clone files"),
    (
        "Sessions",
        "sessions search rename archive delete undelete export import",
    ),
    ("Models", "init models context compact usage"),
    (
        "Agents",
        "spawn agents runtimes graph worktrees runners run",
    ),
    (
        "Set up",
        "config projects skills hooks ext mcp channels workflow trust completions",
    ),
    (
        "Daemon",
        "status stop restart service remote logs doctor fsck gc call stdio acp",
    ),
    ("Help", "help commands exit-codes"),
];

/// A command, as `scorelctl commands` lists it.
#[derive(Debug, Serialize)]
struct DescribedCommand {
    name: &'static str,
    group: &'static str,
    about: String,
}

/// The template of the help text: commands by their names only, which fit a screen.
pub(super) fn template() -> String {
    let mut text = "{about}\n\n{usage-heading} {usage}\n\n\
        Commands (`scorelctl help COMMAND` describes one, `scorelctl commands` all):\n"
        .to_owned();
    for (group, names) in GROUPS {
        text.push_str(&format!("  {group:<10}{}\n", names.replace(' ', ", ")));
    }
    text + "\nOptions:\n{options}"
}

/// Lists all commands with what they do.
pub(super) fn commands(mut root: Command, output: &mut Output) -> Result<(), Failure> {
    root.build();
    let about = |name: &str| root.find_subcommand(name).and_then(Command::get_about);
    let mut all = Vec::new();
    for (group, names) in GROUPS {
        all.extend(names.split(' ').map(|name| DescribedCommand {
            name,
            group,
            about: about(name).map(ToString::to_string).unwrap_or_default(),
        }));
    }
    output.results(&all, |output| {
        let mut last = "";
        for DescribedCommand { name, group, about } in &all {
            if *group != last {
                output.line(group)?;
                last = group;
            }
            output.line(&format!("  {name:<13}{about}"))?;
        }
        Ok(())
    })
}

/// Prints the help where there is no terminal to attach at.
pub(super) fn without_command(mut root: Command, output: &mut Output) -> Result<Exit, Failure> {
    if output.json {
        return Err(Failure::usage("a command is missing").hint("`scorelctl commands` lists them"));
    }
    let help = root.render_help().to_string();
    output.aside(&help)?;
    Ok(Exit::Usage)
}

pub(super) fn exit_codes(output: &mut Output) -> Result<(), Failure> {
    let all = Exit::ALL.iter();
    let all = all.map(|(exit, meaning)| json!({"code": exit.code(), "meaning": meaning.trim()}));
    output.results(&all.collect::<Vec<_>>(), |output| output.raw(&Exit::help()))
}
