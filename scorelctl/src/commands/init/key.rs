use std::env;
use std::fmt;

use crate::failure::Failure;

/// For keys with characters that no key has.
const PASTING: &str = "paste the key alone, in one line";

/// An API key for the env file. Its `Debug` output does not contain the value.
pub(super) struct ApiKey {
    pub(super) variable: String,
    value: String,
}

impl ApiKey {
    /// Reads a variable; `None` if it is unset or empty.
    pub(super) fn find(variable: &str) -> Result<Option<Self>, Failure> {
        let Some(value) = env::var_os(variable).filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        let value = value.into_string().ok();
        let value = value.as_deref().and_then(usable).ok_or_else(|| {
            let problem = "is not valid UTF-8, or contains control characters";
            Failure::usage(format!("the value of {variable} {problem}"))
        })?;
        Ok((!value.is_empty()).then(|| Self {
            variable: variable.to_owned(),
            value,
        }))
    }

    /// A key that the user typed; `None` if it is blank.
    pub(super) fn typed(variable: &str, text: &str) -> Result<Option<Self>, Failure> {
        let value = usable(text)
            .ok_or_else(|| Failure::usage("the key contains control characters").hint(PASTING))?;
        Ok((!value.is_empty()).then(|| Self {
            variable: variable.to_owned(),
            value,
        }))
    }

    /// The line of the env file.
    fn line(&self) -> String {
        format!("{}={}\n", self.variable, quoted(&self.value))
    }

    /// The content of an env file with this key set; other lines are kept.
    pub(super) fn added_to(&self, text: &str) -> String {
        let other = |line: &&str| variable(line) != Some(self.variable.as_str());
        let mut kept: String = text.split_inclusive('\n').filter(other).collect();
        if !kept.is_empty() && !kept.ends_with('\n') {
            kept.push('\n');
        }
        kept + &self.line()
    }
}

/// The key without spaces around it; `None` if it cannot be sent in a header.
fn usable(text: &str) -> Option<String> {
    // Some terminals bracket pasted text, even if the program did not ask for it.
    let text = text.strip_prefix("\u{1b}[200~").unwrap_or(text);
    let text = text.strip_suffix("\u{1b}[201~").unwrap_or(text).trim();
    (!text.chars().any(char::is_control)).then(|| text.to_owned())
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey")
            .field("variable", &self.variable)
            .finish_non_exhaustive()
    }
}

/// Returns whether an env file sets the variable.
pub(super) fn has(text: &str, name: &str) -> bool {
    text.lines().any(|line| variable(line) == Some(name))
}

/// The variable that a line sets.
fn variable(line: &str) -> Option<&str> {
    let (name, _) = line.split_once('=')?;
    let name = name.trim();
    Some(name.strip_prefix("export ").map_or(name, str::trim))
}

/// The value, quoted so that both systemd's `EnvironmentFile` and shells read it back unchanged.
fn quoted(value: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_.:/+=@%,".contains(char);
    if value.chars().all(plain) {
        value.to_owned()
    } else if value.contains('\'') {
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    } else {
        format!("'{value}'")
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, has, quoted};

    fn key(value: &str) -> ApiKey {
        ApiKey {
            variable: "KEY".to_owned(),
            value: value.to_owned(),
        }
    }

    #[test]
    fn a_key_takes_the_place_of_its_former_value() {
        let old = "# keys\nexport KEY=old\nOTHER=1\nKEY='older'";
        assert_eq!(key("new").added_to(old), "# keys\nOTHER=1\nKEY=new\n");
        assert_eq!(key("new").added_to("A=1"), "A=1\nKEY=new\n");
        assert_eq!(key("new").added_to(""), "KEY=new\n");
        assert!(has(old, "KEY") && !has(old, "keys") && !has("#KEY=1", "KEY"));
    }

    #[test]
    fn values_are_quoted_where_they_must_be() {
        for (value, expected) in [
            ("sk-ant_1.2:3/4+5==", "sk-ant_1.2:3/4+5=="),
            ("a b", "'a b'"),
            ("a\"b\\", "'a\"b\\'"),
            ("it's \"x\\", "\"it's \\\"x\\\\\""),
            ("#no comment", "'#no comment'"),
        ] {
            assert_eq!(quoted(value), expected);
        }
    }

    #[test]
    fn what_is_around_a_typed_key_is_dropped() {
        let typed = |text: &str| ApiKey::typed("KEY", text).map(|key| key.map(|key| key.value));
        for text in ["sk-1", "  sk-1\t", "\u{1b}[200~sk-1\u{1b}[201~"] {
            assert_eq!(typed(text).expect("usable").as_deref(), Some("sk-1"));
        }
        assert_eq!(typed("  ").expect("blank"), None);
        assert!(typed("sk\u{1a}-1").is_err());
    }

    #[test]
    fn a_key_does_not_show_in_debug_output() {
        assert!(!format!("{:?}", key("sk-canary")).contains("canary"));
    }
}
