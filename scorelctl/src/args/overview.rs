//! The screen that `scorelctl` alone and `--help` print.

use clap::{Command, CommandFactory as _};
use serde::Serialize;

use super::CliArguments;

/// Every command that is not hidden, in the order of the overview.
const GROUPS: [(&str, &[&str]); 9] = [
    ("Talk", &["send", "wait", "tail", "show", "approve"]),
    ("Steer", &["steer", "queue", "cancel", "end-wait"]),
    (
        "Go back",
        &["tree", "rewind", "resend", "branch", "clone", "files"],
    ),
    (
        "Sessions",
        &[
            "sessions", "search", "rename", "archive", "delete", "undelete", "export", "import",
        ],
    ),
    ("Models", &["init", "models", "context", "compact", "usage"]),
    (
        "Agents",
        &[
            "spawn",
            "agents",
            "runtimes",
            "graph",
            "worktrees",
            "runners",
        ],
    ),
    (
        "Set up",
        &["config", "projects", "skills", "trust", "completions"],
    ),
    (
        "Daemon",
        &[
            "status", "stop", "restart", "service", "logs", "doctor", "fsck", "gc", "call", "stdio",
        ],
    ),
    ("Help", &["help", "commands", "exit-codes"]),
];

/// A command, as `scorelctl commands` lists it.
#[derive(Debug, Serialize)]
pub(crate) struct DescribedCommand {
    pub(crate) name: &'static str,
    pub(crate) group: &'static str,
    pub(crate) about: String,
}

/// The template of the help text: commands by their names only, which fit a screen.
pub(super) fn template() -> String {
    let mut text = "{about}\n\n{usage-heading} {usage}\n\n\
        Commands (`scorelctl help COMMAND` describes one, `scorelctl commands` all):\n"
        .to_owned();
    for (group, names) in GROUPS {
        text.push_str(&format!("  {group:<10}{}\n", names.join(", ")));
    }
    text + "\nOptions:\n{options}"
}

/// All commands with what they do.
pub(crate) fn commands() -> Vec<DescribedCommand> {
    let mut root = CliArguments::command();
    root.build();
    let about = |name: &str| root.find_subcommand(name).and_then(Command::get_about);
    let grouped = GROUPS.into_iter();
    let named = grouped.flat_map(|(group, names)| names.iter().map(move |name| (group, *name)));
    let described = named.map(|(group, name)| DescribedCommand {
        name,
        group,
        about: about(name).map(ToString::to_string).unwrap_or_default(),
    });
    described.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group_and_is_described() {
        let mut root = CliArguments::command();
        root.build();
        let shown = root.get_subcommands().filter(|it| !it.is_hide_set());
        let mut there: Vec<&str> = shown.map(Command::get_name).collect();
        let listed = commands();
        let mut names: Vec<&str> = listed.iter().map(|it| it.name).collect();
        there.sort_unstable();
        names.sort_unstable();
        assert_eq!(names, there);
        assert!(listed.iter().all(|it| !it.about.is_empty()), "{listed:?}");
    }

    #[test]
    fn the_help_fits_a_screen() {
        let mut root = CliArguments::command().term_width(80);
        let help = root.render_help().to_string();
        assert!(help.lines().count() < 24, "{help}");
        assert!(help.lines().all(|line| line.len() <= 80), "{help}");
    }
}
