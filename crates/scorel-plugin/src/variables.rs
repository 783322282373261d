//! The variables with which a plugin names its own places.

use std::path::PathBuf;

use scorel_extension::hook::HookCommand;
use serde_json::Value;

/// The places of a plugin that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginPlace {
    /// Its files: the user's directory, or the checked copy of a project's.
    pub root: PathBuf,
    /// The directory of its data. Stays when the plugin is replaced.
    pub data: PathBuf,
}

impl PluginPlace {
    /// The variables, with their values.
    pub fn environment(&self) -> Vec<(String, String)> {
        let (root, data) = (self.root.display(), self.data.display());
        [
            ("CLAUDE_PLUGIN_ROOT", root.to_string()),
            ("CLAUDE_PLUGIN_DATA", data.to_string()),
            ("PLUGIN_ROOT", root.to_string()),
            ("PLUGIN_DATA", data.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    /// The text with `${NAME}` of each variable replaced, once: what a value says is not looked at again.
    pub fn expand(&self, text: &str) -> String {
        let environment = self.environment();
        let mut rest = text;
        let mut expanded = String::with_capacity(text.len());
        while let Some(start) = rest.find("${") {
            let (before, from) = rest.split_at(start);
            expanded.push_str(before);
            let known = from[2..].split_once('}').and_then(|(name, after)| {
                let found = environment.iter().find(|(it, _)| it == name);
                found.map(|(_, value)| (value, after))
            });
            match known {
                Some((value, after)) => {
                    expanded.push_str(value);
                    rest = after;
                }
                None => {
                    expanded.push_str("${");
                    rest = &from[2..];
                }
            }
        }
        expanded.push_str(rest);
        expanded
    }

    /// A value with the variables in all its texts replaced.
    pub fn expand_all(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.expand(text)),
            Value::Array(values) => values.iter().map(|it| self.expand_all(it)).collect(),
            Value::Object(fields) => {
                let fields = fields.iter();
                fields
                    .map(|(key, it)| (key.clone(), self.expand_all(it)))
                    .collect()
            }
            other => other.clone(),
        }
    }

    /// The command with its variables. A shell reads a value as a part of its line, so a line keeps the variable and
    /// the shell expands it, unless the value has nothing that a shell reads: then `'${CLAUDE_PLUGIN_ROOT}/x'` works
    /// as well.
    pub fn command(&self, command: &HookCommand) -> HookCommand {
        match command {
            HookCommand::Argv(argv) => {
                HookCommand::Argv(argv.iter().map(|it| self.expand(it)).collect())
            }
            HookCommand::Shell(line) => {
                let is_plain = |(_, value): &(String, String)| {
                    let plain = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
                    value.chars().all(plain)
                };
                match self.environment().iter().all(is_plain) {
                    true => HookCommand::Shell(self.expand(line)),
                    false => HookCommand::Shell(line.clone()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(root: &str) -> PluginPlace {
        PluginPlace {
            root: root.into(),
            data: "/data/p".into(),
        }
    }

    #[test]
    fn variables_are_replaced_once_and_others_stay() {
        let odd = place("/x/${PLUGIN_DATA}");
        for (text, expected) in [
            ("${CLAUDE_PLUGIN_ROOT}/a", "/x/${PLUGIN_DATA}/a"),
            ("${PLUGIN_ROOT}${PLUGIN_DATA}", "/x/${PLUGIN_DATA}/data/p"),
            ("${CLAUDE_PLUGIN_DATA}", "/data/p"),
            (
                "${HOME} $PLUGIN_ROOT ${PLUGIN_ROOT",
                "${HOME} $PLUGIN_ROOT ${PLUGIN_ROOT",
            ),
            ("ä${", "ä${"),
        ] {
            assert_eq!(odd.expand(text), expected, "{text}");
        }
    }

    #[test]
    fn a_shell_never_reads_a_path_as_its_own_words() {
        let line = HookCommand::Shell("'${PLUGIN_ROOT}/a' \"${PLUGIN_DATA}\"".to_owned());
        let plain = place("/home/me/.scorel/extensions/p").command(&line);
        let expected = "'/home/me/.scorel/extensions/p/a' \"/data/p\"";
        assert_eq!(plain, HookCommand::Shell(expected.to_owned()));
        assert_eq!(place("/home/me/$(touch x)").command(&line), line);
        let argv = HookCommand::Argv(vec!["${PLUGIN_ROOT}/a".to_owned()]);
        let expected = HookCommand::Argv(vec!["/$(touch x)/a".to_owned()]);
        assert_eq!(place("/$(touch x)").command(&argv), expected);
    }
}
