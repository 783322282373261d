//! The commands that are typed with a slash.

use scorel_proto::{CommandInfo, SkillInfo, SkillState};

use crate::jobs::TypedCommand;

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slash {
    New,
    Sessions,
    Model,
    Rewind,
    Queue,
    Compact,
    Diff,
    Copy,
    Export,
    Rename,
    Archive,
    Status,
    Help,
}

/// A command with what is said of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlashCommand {
    pub(crate) slash: Slash,
    pub(crate) name: &'static str,
    /// The argument after the name.
    pub(crate) argument: &'static str,
    pub(crate) about: &'static str,
}

const fn command(
    slash: Slash,
    name: &'static str,
    argument: &'static str,
    about: &'static str,
) -> SlashCommand {
    SlashCommand {
        slash,
        name,
        argument,
        about,
    }
}

/// All commands, in the order of the help.
pub(crate) const COMMANDS: [SlashCommand; 13] = [
    command(
        Slash::New,
        "new",
        "[TITLE]",
        "start a new session in this project",
    ),
    command(
        Slash::Sessions,
        "sessions",
        "",
        "go to another session, question or agent",
    ),
    command(
        Slash::Model,
        "model",
        "[NAME] [LEVEL]",
        "choose the model and how much it thinks",
    ),
    command(
        Slash::Rewind,
        "rewind",
        "",
        "go back to before an earlier message, with or without the files",
    ),
    command(
        Slash::Queue,
        "queue",
        "",
        "edit, move, convert or remove what waits; pause or resume it",
    ),
    command(
        Slash::Compact,
        "compact",
        "[WHAT TO KEEP]",
        "replace the older part of the conversation by a summary",
    ),
    command(
        Slash::Diff,
        "diff",
        "",
        "show what has changed in the project's files",
    ),
    command(
        Slash::Copy,
        "copy",
        "",
        "copy the last answer to the clipboard",
    ),
    command(
        Slash::Export,
        "export",
        "[md|html|jsonl|bundle [FILE]]",
        "write the session to a file",
    ),
    command(
        Slash::Rename,
        "rename",
        "TITLE",
        "give the session another title",
    ),
    command(
        Slash::Archive,
        "archive",
        "",
        "archive the session; again: take it out of the archive",
    ),
    command(
        Slash::Status,
        "status",
        "",
        "show the session, the daemon and what the model's window holds",
    ),
    command(Slash::Help, "help", "", "list keys and commands"),
];

/// The kind of a typed message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Submission {
    /// Nothing but white space.
    Empty,
    /// A word that ends other programs.
    Farewell,
    Command(Slash, String),
    /// A command of a plugin.
    Run(TypedCommand),
    /// A skill, with what follows its name.
    Skill(String, String),
    /// A skill that cannot be used, and why.
    Unusable(String, &'static str),
    /// No command: its name, and what may have been meant.
    Unknown(String, Option<String>),
    /// A text for the agent.
    Message(String),
}

const FAREWELLS: [&str; 9] = [
    "exit", "quit", "bye", "logout", ":q", ":q!", ":wq", ":x", ":qa",
];

impl Submission {
    /// Tells what a typed text is. The skills and the commands of plugins are those of the project.
    pub(crate) fn of(text: &str, skills: &[SkillInfo], commands: &[CommandInfo]) -> Self {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Self::Empty;
        }
        if FAREWELLS.contains(&trimmed.to_lowercase().as_str()) {
            return Self::Farewell;
        }
        let Some(line) = trimmed.strip_prefix('/') else {
            return Self::Message(text.to_owned());
        };
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        // A second slash makes it a path.
        if name.is_empty() || name.contains('/') {
            return Self::Message(text.to_owned());
        }
        let rest = rest.trim().to_owned();
        if matches!(name, "exit" | "quit" | "q") {
            return Self::Farewell;
        }
        if let Some(command) = COMMANDS.iter().find(|command| command.name == name) {
            return Self::Command(command.slash, rest);
        }
        if commands.iter().any(|command| command.name == name) {
            return Self::Run(TypedCommand {
                name: name.to_owned(),
                arguments: rest,
            });
        }
        match skills.iter().find(|skill| skill.name == name) {
            Some(skill) => match unusable(skill) {
                None => Self::Skill(name.to_owned(), rest),
                Some(why) => Self::Unusable(name.to_owned(), why),
            },
            None => Self::Unknown(name.to_owned(), suggestion(name, skills, commands)),
        }
    }
}

fn unusable(skill: &SkillInfo) -> Option<&'static str> {
    match skill.state {
        SkillState::Available if skill.for_model => None,
        SkillState::Available => Some("its author keeps it from the model"),
        SkillState::Untrusted => {
            Some("it comes with the project and is not trusted; `scorelctl trust` shows it")
        }
        SkillState::Changed => {
            Some("it has changed since it was trusted; `scorelctl trust` shows the difference")
        }
        SkillState::Shadowed => Some("another skill of that name comes first"),
        SkillState::Disabled => Some("`[extensions] disabled` in your configuration turns it off"),
        SkillState::Invalid => Some("it cannot be read; `scorelctl skills` says why"),
    }
}

fn suggestion(typed: &str, skills: &[SkillInfo], commands: &[CommandInfo]) -> Option<String> {
    let typed = typed.to_lowercase();
    let of_plugins = || commands.iter().map(|command| command.name.as_str());
    // Who forgets the plugin means its command.
    let ends_so = |name: &&str| name.rsplit(':').next() == Some(typed.as_str());
    if let Some(name) = of_plugins().find(ends_so) {
        return Some(name.to_owned());
    }
    let names = COMMANDS.iter().map(|command| command.name);
    let names = names.chain(of_plugins());
    let names = names.chain(skills.iter().map(|skill| skill.name.as_str()));
    let near = names.filter_map(|name| {
        let begins = name.starts_with(&typed) || typed.starts_with(name);
        let distance = if begins {
            0
        } else {
            strsim::damerau_levenshtein(&typed, name)
        };
        (distance * 3 <= typed.chars().count().max(3)).then_some((distance, name))
    });
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name.to_owned())
}

/// The message that has the model use a skill.
pub(crate) fn skill_message(name: &str, arguments: &str) -> String {
    match arguments {
        "" => format!("Use the skill `{name}`."),
        _ => format!("Use the skill `{name}` with these arguments: {arguments}"),
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::{CommandKind, SkillSource};

    use super::*;

    fn skill(name: &str, state: SkillState) -> SkillInfo {
        SkillInfo {
            name: name.to_owned(),
            description: String::new(),
            state,
            for_model: true,
            source: SkillSource::User,
            path: "/s".to_owned(),
            problem: None,
            warning: None,
        }
    }

    fn of(text: &str) -> Submission {
        Submission::of(
            text,
            &[
                skill("deploy", SkillState::Available),
                skill("evil", SkillState::Untrusted),
            ],
            &[CommandInfo {
                name: "tidy:fix".to_owned(),
                description: String::new(),
                argument_hint: None,
                arguments: Vec::new(),
                kind: CommandKind::Plugin,
                source: SkillSource::User,
                ignored: Vec::new(),
            }],
        )
    }

    #[test]
    fn words_that_end_other_programs_are_not_sent() {
        for text in ["exit", " Quit\n", ":q", ":wq", "/exit", "/quit"] {
            assert_eq!(of(text), Submission::Farewell, "{text}");
        }
        let text = "exit the loop when it is done";
        assert_eq!(of(text), Submission::Message(text.to_owned()));
    }

    #[test]
    fn a_slash_begins_a_command_unless_the_word_has_another() {
        assert_eq!(
            of("/model opus high"),
            Submission::Command(Slash::Model, "opus high".to_owned())
        );
        assert_eq!(
            of("/deploy to staging"),
            Submission::Skill("deploy".to_owned(), "to staging".to_owned())
        );
        assert_eq!(
            of("/tidy:fix  a b "),
            Submission::Run(TypedCommand {
                name: "tidy:fix".to_owned(),
                arguments: "a b".to_owned(),
            })
        );
        assert!(matches!(of("/evil"), Submission::Unusable(..)));
        for text in ["/etc/passwd is odd", "/ alone", "/src/x", "a /model"] {
            assert_eq!(of(text), Submission::Message(text.to_owned()));
        }
    }

    #[test]
    fn a_typo_names_what_may_have_been_meant() {
        for (typed, meant) in [
            ("/modle", Some("model")),
            ("/deplyo", Some("deploy")),
            ("/sess", Some("sessions")),
            ("/fix", Some("tidy:fix")),
            ("/tidy:fx", Some("tidy:fix")),
            ("/zzzzzz", None),
        ] {
            let Submission::Unknown(_, found) = of(typed) else {
                panic!("{typed} is taken for something");
            };
            assert_eq!(found.as_deref(), meant, "{typed}");
        }
    }

    #[test]
    fn every_command_is_found_by_its_name() {
        for command in COMMANDS {
            assert_eq!(
                of(&format!("/{}", command.name)),
                Submission::Command(command.slash, String::new())
            );
        }
    }
}
