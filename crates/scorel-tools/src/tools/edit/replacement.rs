//! One replacement, and why it cannot be made.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ErrorCode;
use crate::limits::MAX_FILE_BYTES;
use crate::roots::Location;

/// How many lines an error names.
const MAX_LINES: usize = 10;

/// One replacement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Replacement {
    /// The text to replace, exactly as it is in the file. Not empty.
    pub(super) old_string: String,
    /// The text to put in its place; empty to remove it.
    pub(super) new_string: String,
    /// Whether to replace every occurrence. Default false: the text must be there exactly once.
    pub(super) replace_all: Option<bool>,
}

/// Why a replacement cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// There is nothing to look for.
    Empty,
    /// Old and new are the same.
    Same,
    /// The text is not there.
    NotFound(Likely),
    /// The text is there more than once, beginning in these lines.
    Ambiguous { count: usize, lines: Vec<u64> },
    /// The text is there, in a line that the model has not seen.
    NotRead { line: u64 },
    /// The file would become too large.
    TooLarge { bytes: usize },
}

/// What is likely the matter with a text that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likely {
    /// Nothing like it is there.
    Unknown,
    /// It has the line numbers that are no part of the file.
    LineNumbers,
    /// The text in this line differs in white space only.
    WhiteSpace { line: u64 },
}

impl Obstacle {
    pub(super) fn code(&self) -> ErrorCode {
        match self {
            Self::Empty | Self::Same => ErrorCode::InvalidArguments,
            Self::NotFound(_) => ErrorCode::TextNotFound,
            Self::Ambiguous { .. } => ErrorCode::Ambiguous,
            Self::NotRead { .. } => ErrorCode::NotRead,
            Self::TooLarge { .. } => ErrorCode::WriteLimit,
        }
    }

    /// The lines of the file that it is about.
    pub(super) fn lines(&self) -> Vec<u64> {
        match self {
            Self::Ambiguous { lines, .. } => lines.iter().copied().take(MAX_LINES).collect(),
            Self::NotRead { line } | Self::NotFound(Likely::WhiteSpace { line }) => vec![*line],
            _ => Vec::new(),
        }
    }

    /// The obstacle for the model.
    pub(super) fn text(&self, location: &Location) -> String {
        match self {
            Self::Empty => "`oldString` is empty; use Write to give a file its content".to_owned(),
            Self::Same => "`oldString` and `newString` are the same".to_owned(),
            Self::NotFound(likely) => {
                let mut text = format!("`oldString` is not in {location}");
                text.push_str(&likely.advice());
                text
            }
            Self::Ambiguous { count, .. } => format!(
                "`oldString` is in {location} {count} times, {}; give more of the text around the \
                 right one, or set `replaceAll`",
                self.places()
            ),
            Self::NotRead { line } => format!(
                "line {line} of {location} was not read as it is now; Read the lines to change first"
            ),
            Self::TooLarge { bytes } => {
                format!("{location} would get {bytes} bytes; at most {MAX_FILE_BYTES} are possible")
            }
        }
    }

    fn places(&self) -> String {
        let lines = self.lines();
        let mut text = "in line".to_owned();
        for (place, line) in lines.iter().enumerate() {
            let before = if place == 0 { " " } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(text, "{before}{line}");
        }
        match self {
            Self::Ambiguous { count, .. } if *count > lines.len() => text + " and more",
            _ => text,
        }
    }
}

impl Likely {
    fn advice(self) -> String {
        match self {
            Self::Unknown => "; Read the place again and copy it exactly".to_owned(),
            Self::LineNumbers => {
                "; leave out the line numbers and tabs that Read puts before lines".to_owned()
            }
            Self::WhiteSpace { line } => format!(
                "; the text in line {line} differs in white space only: copy it exactly as Read \
                 shows it"
            ),
        }
    }
}
