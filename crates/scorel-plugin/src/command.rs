use scorel_extension::{Problem, expand_arguments};
use scorel_frontmatter::Frontmatter;

use super::variables::PluginPlace;

/// Fields of a command's head that change nothing here.
const IGNORED: [&str; 8] = [
    "agent",
    "allowed-tools",
    "context",
    "disallowed-tools",
    "effort",
    "hooks",
    "model",
    "shell",
];

/// Characters of a description.
const MAX_DESCRIPTION: usize = 1_024;

/// Characters of a hint.
const MAX_HINT: usize = 200;

/// A command: a text that a user sends by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginCommand {
    /// The path of its file below `commands/`, with `:` between the parts and without `.md`.
    pub name: String,
    /// One line; empty if it says nothing.
    pub description: String,
    /// The arguments that it takes, for people.
    pub argument_hint: Option<String>,
    /// Its wishes that are not met here, such as `allowed-tools`.
    pub ignored: Vec<String>,
    body: String,
}

impl PluginCommand {
    /// Reads the text of a command's file. `None` if it is for the model alone.
    pub(super) fn parse(
        name: String,
        text: &str,
    ) -> Result<(Option<Self>, Option<Problem>), Problem> {
        let problem = |error: &dyn std::fmt::Display| Problem::new(error.to_string());
        let head = Frontmatter::parse_optional(text).map_err(|error| problem(&error))?;
        let get = |field| head.text(field).map_err(|error| problem(&error));
        // A list of words is usual for a hint: `[file]` is YAML for one.
        let hint = get("argument-hint").unwrap_or(Some("…"));
        let description = get("description")?.unwrap_or_default();
        let for_users = head.flag("user-invocable");
        let for_users = for_users.map_err(|error| problem(&error))?.unwrap_or(true);
        let warning = head.warning.as_ref().map(|error| problem(error));
        let ignored = IGNORED.iter().filter(|field| head.has(field));
        let mut ignored: Vec<String> = ignored.map(|field| format!("`{field}`")).collect();
        if has_shell(head.body) {
            ignored.push("`` !`…` ``".to_owned());
        }
        if has_file(head.body) {
            ignored.push("`@file`".to_owned());
        }
        let command = Self {
            name,
            description: one_line(description, MAX_DESCRIPTION),
            argument_hint: hint.map(|hint| one_line(hint, MAX_HINT)),
            ignored,
            body: head.body.to_owned(),
        };
        Ok((for_users.then_some(command), warning))
    }

    /// The message that the command stands for. `place` is that of its plugin.
    pub fn message(&self, arguments: &str, place: &PluginPlace) -> String {
        let mut message = expand_arguments(&place.expand(&self.body), arguments);
        if has_shell(&self.body) {
            message.push_str(
                "\n\n(Commands that are written here as !`…` have not been run. Run those whose output you need.)",
            );
        }
        message
    }
}

fn one_line(text: &str, max: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(max).collect()
}

/// Returns whether Claude Code would run something in the text.
fn has_shell(body: &str) -> bool {
    body.contains("!`") || body.contains("```!")
}

/// Returns whether Claude Code would put a file into the text.
fn has_file(body: &str) -> bool {
    let words = body.split_whitespace();
    let mut paths =
        words.filter_map(|word| word.trim_start_matches(['(', '`', '"']).strip_prefix('@'));
    paths.any(|path| {
        let path = path.trim_end_matches(['.', ',', ':', ';', ')', '`', '"']);
        let is_path = |char: char| char.is_alphanumeric() || "./_-~$".contains(char);
        path.starts_with(is_path) && path.contains(['/', '.', '$'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> PluginPlace {
        PluginPlace {
            root: "/p".into(),
            data: "/d".into(),
        }
    }

    fn parse(text: &str) -> PluginCommand {
        let parsed = PluginCommand::parse("fix".to_owned(), text).unwrap();
        parsed.0.unwrap()
    }

    #[test]
    fn a_command_says_what_is_not_done_of_it() {
        let text = "---\ndescription: Fix  it\nargument-hint: [file]\nallowed-tools: [Bash]\nmodel: opus\n---\n\
                    See @src/main.rs and !`git status`. Run ${CLAUDE_PLUGIN_ROOT}/x on $1.\n";
        let command = parse(text);
        assert_eq!(command.description, "Fix it");
        assert_eq!(command.argument_hint.as_deref(), Some("…"));
        let ignored = ["`allowed-tools`", "`model`", "`` !`…` ``", "`@file`"];
        assert_eq!(command.ignored, ignored);
        let message = command.message("${CLAUDE_PLUGIN_ROOT}", &place());
        assert!(
            message.contains("Run /p/x on ${CLAUDE_PLUGIN_ROOT}."),
            "{message}"
        );
        assert!(
            message.contains("!`git status`") && message.ends_with("need.)"),
            "{message}"
        );
    }

    #[test]
    fn a_command_may_be_nothing_but_text_and_one_of_the_model_is_none() {
        let command = parse("Mail me@example.org, @you.\n");
        assert_eq!(
            (command.description.as_str(), command.ignored.len()),
            ("", 0)
        );
        assert_eq!(command.message("", &place()), "Mail me@example.org, @you.");
        let hidden = PluginCommand::parse("x".to_owned(), "---\nuser-invocable: false\n---\nx");
        assert_eq!(hidden, Ok((None, None)));
        let warned = PluginCommand::parse("x".to_owned(), "---\ndescription: a: b\n---\nx");
        assert!(warned.unwrap().1.is_some());
    }
}
