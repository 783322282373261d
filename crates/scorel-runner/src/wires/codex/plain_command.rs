//! The command that codex has its shell run.

use serde_json::{Value, json};

/// The shells that codex runs commands with. A program elsewhere that has such a name need not run the script.
const SHELLS: [&str; 6] = [
    "bash",
    "/bin/bash",
    "/usr/bin/bash",
    "sh",
    "/bin/sh",
    "/usr/bin/sh",
];

/// `touch a` of `/bin/bash -lc 'touch a'`; anything else as it is. It is what people read, and what rules
/// are about.
pub(super) fn plain_command(command: &Value) -> Value {
    command
        .as_str()
        .and_then(script)
        .map_or_else(|| command.clone(), |script| json!(script))
}

fn script(command: &str) -> Option<String> {
    let (shell, rest) = command.split_once(' ')?;
    let (option, script) = rest.split_once(' ')?;
    let is_shell = SHELLS.contains(&shell);
    let script = script.trim_start_matches("-- ");
    (is_shell && matches!(option, "-c" | "-lc"))
        .then(|| word(script))
        .flatten()
}

/// The value of a text that is exactly one quoted word, such as codex writes them; nothing in it is
/// expanded.
fn word(text: &str) -> Option<String> {
    let (mut value, mut letters) = (String::new(), text.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => loop {
                match letters.next()? {
                    '\'' => break,
                    quoted => value.push(quoted),
                }
            },
            '"' => loop {
                match letters.next()? {
                    '"' => break,
                    '$' | '`' => return None,
                    '\\' => value.push(letters.next().filter(|it| "\\\"$`".contains(*it))?),
                    quoted => value.push(quoted),
                }
            },
            _ if letter.is_ascii_alphanumeric() || "_-./:=@%+,".contains(letter) => {
                value.push(letter);
            }
            _ => return None,
        }
    }
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_around_a_command_is_taken_off_and_nothing_else() {
        let plain = |text: &str| plain_command(&json!(text));
        for (command, expected) in [
            ("/bin/bash -lc 'touch a && ls'", "touch a && ls"),
            ("bash -lc ls", "ls"),
            (
                "/usr/bin/bash -c \"echo it's \\\"\\$x\\\"\"",
                "echo it's \"$x\"",
            ),
            ("/bin/sh -c 'a'\"'\"'b'", "a'b"),
        ] {
            assert_eq!(plain(command), expected, "{command}");
        }
        for command in [
            "ls -l",
            "/bin/bash -lc 'ls' more",
            "/bin/bash -lc \"$x\"",
            "/bin/bash -lc 'ls'; rm x",
            "/bin/bash -lc 'ls",
            "/bin/bash -ic 'ls'",
            "./bash.sh -c 'ls'",
            "./bash -lc 'ls'",
            "tools/sh -c ls",
            "/tmp/bin/bash -lc 'git status'",
            "/bin/../tmp/sh -c ls",
            "/usr/local/bin/bash -c ls",
            "/usr/bin/zsh -lc ls",
            "bash -c",
        ] {
            assert_eq!(plain(command), command);
        }
        assert_eq!(plain_command(&Value::Null), Value::Null);
    }
}
