//! One replacement, and why it can fail.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ErrorCode;
use crate::limits::MAX_FILE_BYTES;
use crate::roots::Location;

/// The greatest number of lines that an error lists.
const MAX_LINES: usize = 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Replacement {
    /// The text to replace, exactly as in the file. Not empty.
    pub(super) old_string: String,
    /// The replacement; empty to delete the text.
    pub(super) new_string: String,
    /// Whether to replace every occurrence. Default false: the text must occur exactly once.
    pub(super) replace_all: Option<bool>,
}

/// Why a replacement failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The text to replace is empty.
    Empty,
    /// Old and new are the same.
    Same,
    /// The text does not occur.
    NotFound(Likely),
    /// The text occurs more than once, starting in these lines.
    Ambiguous { count: usize, lines: Vec<u64> },
    /// The text is in a line that the model has not seen.
    NotRead { line: u64 },
    /// The file would become too large.
    TooLarge { bytes: usize },
}

/// The likely reason why a text was not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likely {
    /// Nothing similar was found.
    Unknown,
    /// It contains line numbers from `Read`.
    LineNumbers,
    /// The text in this line differs in white space only.
    WhiteSpace { line: u64 },
    /// The text in this line has its letters composed in another way.
    Composition { line: u64 },
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

    pub(super) fn lines(&self) -> Vec<u64> {
        match self {
            Self::Ambiguous { lines, .. } => lines.iter().copied().take(MAX_LINES).collect(),
            Self::NotRead { line }
            | Self::NotFound(Likely::WhiteSpace { line } | Likely::Composition { line }) => {
                vec![*line]
            }
            _ => Vec::new(),
        }
    }

    /// The message for the model.
    pub(super) fn text(&self, location: &Location) -> String {
        match self {
            Self::Empty => "`oldString` is empty; use Write to give a file its content".to_owned(),
            Self::Same => "`oldString` and `newString` are the same".to_owned(),
            Self::NotFound(likely) => {
                format!("`oldString` is not in {location}{}", likely.advice())
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
        let numbers: Vec<_> = lines.iter().map(u64::to_string).collect();
        let text = format!("in line {}", numbers.join(", "));
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
            Self::Composition { line } => format!(
                "; the text in line {line} differs in the composition of letters only (`\\u00e9` \
                 against `e\\u0301`): write it as it is there, or replace text beside such letters"
            ),
        }
    }
}
