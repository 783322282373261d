use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use regex_syntax::ast;
use serde::Deserialize;

use super::claude::their_tool;

/// The longest matcher, in bytes.
const MAX: usize = 4096;

/// The memory that a compiled expression may take, in bytes.
const MAX_COMPILED: usize = 1024 * 1024;

/// A tool of ours, and the name before the present one that Claude Code has for it.
const FORMER: (&str, &str) = ("AgentSpawn", "Task");

/// The words for which a hook runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Matcher {
    written: String,
    words: Words,
}

#[derive(Debug, Clone)]
enum Words {
    All,
    Exact(Vec<String>),
    Pattern(Regex),
}

/// Why a text is not a matcher.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("character {column} of the matcher: {reason}")]
pub struct MatcherError {
    /// The character at fault, counted from 1.
    pub column: usize,
    pub reason: String,
}

impl Matcher {
    /// Matches everything.
    pub const fn all() -> Self {
        Self {
            written: String::new(),
            words: Words::All,
        }
    }

    /// The matcher as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Returns whether everything matches.
    pub const fn is_all(&self) -> bool {
        matches!(self.words, Words::All)
    }

    /// Returns whether a word matches.
    pub fn matches(&self, word: &str) -> bool {
        match &self.words {
            Words::All => true,
            Words::Exact(words) => words.iter().any(|it| it == word),
            Words::Pattern(pattern) => pattern.is_match(word),
        }
    }

    /// Returns whether a tool matches, by its name or one that it has elsewhere.
    pub fn matches_tool(&self, tool: &str) -> bool {
        let former = (tool == FORMER.0).then_some(FORMER.1);
        let mut names = [tool, their_tool(tool)].into_iter().chain(former);
        names.any(|name| self.matches(name))
    }
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Matcher {}

impl FromStr for Matcher {
    type Err = MatcherError;

    fn from_str(text: &str) -> Result<Self, MatcherError> {
        let words = if matches!(text.trim(), "" | "*") {
            Words::All
        } else if text.chars().all(is_plain) {
            let words = text.split(['|', ',']).map(str::trim);
            Words::Exact(
                words
                    .filter(|it| !it.is_empty())
                    .map(str::to_owned)
                    .collect(),
            )
        } else {
            Words::Pattern(compiled(text)?)
        };
        Ok(Self {
            written: text.to_owned(),
            words,
        })
    }
}

impl TryFrom<String> for Matcher {
    type Error = MatcherError;

    fn try_from(text: String) -> Result<Self, MatcherError> {
        text.parse()
    }
}

/// A text of these characters is a list of names.
fn is_plain(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | ',' | '|' | ' ')
}

fn compiled(text: &str) -> Result<Regex, MatcherError> {
    if text.len() > MAX {
        return Err(at(1, format!("a matcher has at most {MAX} bytes")));
    }
    regex_syntax::Parser::new()
        .parse(text)
        .map_err(|error| syntax(text, &error))?;
    let built = RegexBuilder::new(text).size_limit(MAX_COMPILED).build();
    built.map_err(|_| at(1, "the expression is too large".to_owned()))
}

fn syntax(text: &str, error: &regex_syntax::Error) -> MatcherError {
    let (offset, reason) = match error {
        regex_syntax::Error::Parse(error) => {
            let reason = match error.kind() {
                ast::ErrorKind::UnsupportedLookAround => {
                    "look-around (`(?=`, `(?!`, `(?<`) is not supported".to_owned()
                }
                ast::ErrorKind::UnsupportedBackreference => {
                    "back references are not supported".to_owned()
                }
                kind => kind.to_string(),
            };
            (error.span().start.offset, reason)
        }
        regex_syntax::Error::Translate(error) => {
            (error.span().start.offset, error.kind().to_string())
        }
        _ => (0, "it is not a regular expression".to_owned()),
    };
    let before = text.get(..offset).unwrap_or_default();
    at(before.chars().count() + 1, reason)
}

const fn at(column: usize, reason: String) -> MatcherError {
    MatcherError { column, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exact_and_anything_else_is_an_expression() {
        for (text, word, expected) in [
            ("", "Bash", true),
            ("*", "Bash", true),
            (" ", "Bash", true),
            ("Bash", "Bash", true),
            ("Bash", "BashOutput", false),
            ("bash", "Bash", false),
            ("Edit|Write", "Write", true),
            ("Edit, Write", "Write", true),
            ("Edit | Write", "Edit", true),
            ("mcp__memory-2", "mcp__memory-2", true),
            ("mcp__memory__.*", "mcp__memory__read", true),
            ("^Notebook", "NotebookEdit", true),
            ("dit$", "Edit", true),
            ("Wri.e", "MultiWrite", true),
            ("|", "Bash", false),
        ] {
            let matcher: Matcher = text.parse().unwrap();
            assert_eq!(matcher.matches(word), expected, "{text} {word}");
        }
        for name in ["Agent", "Task", "AgentSpawn", "^Ta"] {
            assert!(name.parse::<Matcher>().unwrap().matches_tool("AgentSpawn"));
        }
    }

    #[test]
    fn an_expression_that_is_none_has_its_place() {
        for (text, column, reason) in [
            ("Bash(?!Output)", 5, "look-around"),
            ("ä(?<=x)", 2, "look-around"),
            ("(a)\\1", 4, "back references"),
            ("Bash(", 5, "unclosed group"),
            ("a{1000}{1000}{1000}", 1, "too large"),
        ] {
            let error = text.parse::<Matcher>().unwrap_err();
            assert_eq!(error.column, column, "{text}: {error}");
            assert!(error.reason.contains(reason), "{text}: {error}");
        }
    }
}
