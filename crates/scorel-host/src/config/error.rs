use std::fmt;
use std::path::PathBuf;

use crate::trusted_file::FileProblem;

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read safely.
    #[error(transparent)]
    File(#[from] FileProblem),
    /// What the file says is wrong.
    #[error("{}{}: {reason}{}", path.display(), Place(*position), DidYouMean(suggestion.as_deref()))]
    Content {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        position: Option<Position>,
        /// The key with its section, such as `model.provider`, if one is to blame.
        key: Option<String>,
        /// What is wrong.
        reason: String,
        /// What was probably meant.
        suggestion: Option<String>,
    },
}

/// A place in a text, counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Position {
    /// The place of the byte at `offset`.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let boundary = (0..=offset.min(text.len()))
            .rev()
            .find(|end| text.is_char_boundary(*end));
        let before = &text[..boundary.unwrap_or_default()];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

struct Place(Option<Position>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |Position { line, column }| {
            write!(f, ":{line}:{column}")
        })
    }
}

struct DidYouMean<'a>(Option<&'a str>);

impl fmt::Display for DidYouMean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .map_or(Ok(()), |meant| write!(f, "; did you mean `{meant}`?"))
    }
}
