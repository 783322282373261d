use std::fmt;
use std::path::PathBuf;

use scorel_home::trusted_file::FileProblem;
use scorel_proto::{ConfigProblem, ErrorChain};

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error(transparent)]
    File(#[from] FileProblem),
    #[error("{}{}: {reason}{}", path.display(), AtPosition(*position), DidYouMean(suggestion.as_deref()))]
    Content {
        path: PathBuf,
        position: Option<Position>,
        /// With its section, such as `model.provider`.
        key: Option<String>,
        reason: String,
        /// The nearest valid name.
        suggestion: Option<String>,
    },
}

impl ConfigError {
    /// Where in the text the problem is.
    pub const fn position(&self) -> Option<Position> {
        match self {
            Self::File(_) => None,
            Self::Content { position, .. } => *position,
        }
    }

    /// The key at fault, with its section.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::File(_) => None,
            Self::Content { key, .. } => key.as_deref(),
        }
    }

    /// Drops a position that the text does not have: it refers to one that is not written.
    pub fn within(mut self, text: &str) -> Self {
        if let Self::Content { position, .. } = &mut self
            && position.is_some_and(|it| it.line > text.lines().count())
        {
            *position = None;
        }
        self
    }

    /// The problem as clients are told it.
    pub fn problem(&self) -> ConfigProblem {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        match self {
            Self::File(file) => ConfigProblem {
                path: file.path().display().to_string(),
                line: None,
                column: None,
                key: None,
                message: ErrorChain(file).to_string(),
                suggestion: None,
            },
            Self::Content {
                path,
                position,
                key,
                reason,
                suggestion,
            } => ConfigProblem {
                path: path.display().to_string(),
                line: position.map(|it| number(it.line)),
                column: position.map(|it| number(it.column)),
                key: key.clone(),
                message: reason.clone(),
                suggestion: suggestion.clone(),
            },
        }
    }
}

/// Line and column, counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Position {
    /// The position of the byte at `offset`, or of the character that contains it.
    pub fn of(text: &str, offset: usize) -> Self {
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

struct AtPosition(Option<Position>);

impl fmt::Display for AtPosition {
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
