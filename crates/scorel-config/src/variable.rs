use std::fmt;

use serde::Deserialize;

/// Names that each session sets for its own temporary directory.
const OF_SESSIONS: [&str; 3] = ["TEMP", "TMP", "TMPDIR"];

/// The name of an environment variable that commands get. Checked while deserializing so that the
/// error has a position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct VariableName(String);

/// Names of environment variables; `*` stands for any characters. Case counts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct VariablePattern(String);

/// The value of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct VariableValue(String);

/// Why a text is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VariableError {
    #[error("`{0}` is not the name of an environment variable: letters, digits and `_`")]
    NotAName(String),
    #[error("`{0}` is not a name of environment variables: letters, digits, `_`, and `*` for any")]
    NotAPattern(String),
    #[error("`{0}` belongs to the session: it names the session's own temporary directory")]
    OfSession(String),
    #[error("the value has a NUL character in it")]
    Nul,
}

impl VariableName {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a shell could set a variable of this name.
    pub fn is_name(text: &str) -> bool {
        let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
        !text.is_empty()
            && !text.starts_with(|it: char| it.is_ascii_digit())
            && text.chars().all(is_part)
    }
}

impl TryFrom<String> for VariableName {
    type Error = VariableError;

    fn try_from(text: String) -> Result<Self, VariableError> {
        if !Self::is_name(&text) {
            Err(VariableError::NotAName(text))
        } else if OF_SESSIONS.contains(&text.as_str()) {
            Err(VariableError::OfSession(text))
        } else {
            Ok(Self(text))
        }
    }
}

impl VariablePattern {
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.0.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else {
            return false;
        };
        let mut last = None;
        for part in parts {
            if let Some(before) = last.replace(part) {
                let Some(at) = rest.find(before) else {
                    return false;
                };
                rest = &rest[at + before.len()..];
            }
        }
        last.map_or(rest.is_empty(), |last| rest.ends_with(last))
    }
}

impl TryFrom<String> for VariablePattern {
    type Error = VariableError;

    fn try_from(text: String) -> Result<Self, VariableError> {
        if VariableName::is_name(&text.replace('*', "_")) {
            Ok(Self(text))
        } else {
            Err(VariableError::NotAPattern(text))
        }
    }
}

impl fmt::Display for VariablePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl VariableValue {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for VariableValue {
    type Error = VariableError;

    fn try_from(text: String) -> Result<Self, VariableError> {
        if text.contains('\0') {
            return Err(VariableError::Nul);
        }
        Ok(Self(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, matches) in [
            ("A", "A", true),
            ("A", "AB", false),
            ("A*", "AB", true),
            ("A*", "BA", false),
            ("*A", "BA", true),
            ("*A*", "BAB", true),
            ("A*B*C", "AxByC", true),
            ("A*B*C", "AxyC", false),
            ("A*A", "A", false),
            ("*", "", true),
            ("a", "A", false),
        ] {
            let parsed = VariablePattern::try_from(pattern.to_owned()).unwrap();
            assert_eq!(parsed.matches(name), matches, "{pattern} {name}");
        }
    }

    #[test]
    fn what_is_no_name_is_an_error() {
        for text in ["", "1A", "A-B", "A=B", "A B", "Ä"] {
            let error = VariableName::try_from(text.to_owned()).unwrap_err();
            assert_eq!(error, VariableError::NotAName(text.to_owned()));
            assert!(VariablePattern::try_from(text.to_owned()).is_err());
        }
        let error = VariableName::try_from("TMPDIR".to_owned()).unwrap_err();
        assert_eq!(error, VariableError::OfSession("TMPDIR".to_owned()));
    }
}
