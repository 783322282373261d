use super::limits::{MAX_DEPTH, MAX_HEAD_BYTES};
use super::place::Place;

/// The reason why a text is not a document, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct DocumentError {
    pub place: Place,
    pub problem: DocumentProblem,
}

/// The reason why a text is not a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentProblem {
    #[error("the file does not begin with a line `---`")]
    Missing,
    #[error("no line `---` ends the head")]
    Unterminated,
    #[error("the head has more than {MAX_HEAD_BYTES} bytes")]
    TooLarge,
    #[error("lists and mappings are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// In words of the parser.
    #[error("{0}")]
    Syntax(String),
    #[error("the head has a control character")]
    ControlCharacter,
    #[error("the head is not fields: `key: value`")]
    NotFields,
    #[error("a key is not a text")]
    KeyNotText,
    #[error("`{0}` is there twice")]
    DuplicateKey(String),
    #[error("aliases are not read")]
    Alias,
    #[error("anchors are not read")]
    Anchor,
    #[error("tags are not read")]
    Tag,
    #[error("a second document begins")]
    SecondDocument,
    #[error("`{0}` is a number that JSON does not have")]
    NotJson(String),
}

/// The reason why a value was not written. The document is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("the head is written within braces; write each field on a line of its own")]
    Braces,
    #[error("`{0}` cannot be written into this head without changing other fields")]
    Unwritable(String),
    /// With the value it would not be a document.
    #[error(transparent)]
    Unreadable(#[from] DocumentError),
}

impl DocumentProblem {
    pub(super) const fn at(self, place: Place) -> DocumentError {
        DocumentError {
            place,
            problem: self,
        }
    }

    pub(super) const fn at_start(problem: Self) -> DocumentError {
        problem.at(Place { line: 1, column: 1 })
    }
}
