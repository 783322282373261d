use std::fmt;

use scorel_frontmatter::Place;
use scorel_proto::RunProblem;
use scorel_workflow::RunDocumentError;
use serde_json::{Value, json};

/// The reason why the document of a run cannot be used, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidState {
    pub(crate) message: String,
    pub(crate) place: Option<Place>,
    pub(crate) pointer: Option<String>,
}

impl InvalidState {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            place: None,
            pointer: None,
        }
    }

    /// Of a value in the head.
    pub(crate) fn at(pointer: &str, message: impl Into<String>) -> Self {
        Self {
            pointer: Some(pointer.to_owned()),
            ..Self::new(message)
        }
    }

    /// The reason why the state that was to take the document's place cannot.
    pub(crate) fn of_last_good(self) -> Self {
        let place = self.place.map_or_else(String::new, |it| format!("{it}: "));
        let message = self.message;
        Self::new(format!(
            "its last good state cannot be used either: {place}{message}"
        ))
    }

    pub(crate) fn details(&self) -> Value {
        json!({
            "message": self.message,
            "line": self.place.map(|it| it.line),
            "column": self.place.map(|it| it.column),
            "pointer": self.pointer,
        })
    }

    pub(crate) fn problem(&self) -> RunProblem {
        RunProblem {
            code: "state_invalid".to_owned(),
            message: self.message.clone(),
            line: self.place.map(|it| it.line as u64),
            column: self.place.map(|it| it.column as u64),
            pointer: self.pointer.clone(),
        }
    }
}

impl From<RunDocumentError> for InvalidState {
    fn from(error: RunDocumentError) -> Self {
        let message = error.to_string();
        match error {
            RunDocumentError::Head(error) => Self {
                message: error.problem.to_string(),
                place: Some(error.place),
                pointer: None,
            },
            RunDocumentError::Form { pointer, place, .. } => Self {
                message,
                place,
                pointer: Some(pointer),
            },
            _ => Self::new(message),
        }
    }
}

impl fmt::Display for InvalidState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the run's document cannot be used: ")?;
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}
