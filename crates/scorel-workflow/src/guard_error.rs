use scorel_frontmatter::Place;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::edge::Edge;
use crate::run_document::{MAX_DOCUMENT_BYTES, RunDocumentError};

/// The reason why a change of a run's document is not legal, with what helps to make one that is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardError {
    #[error("the document must not have more than {MAX_DOCUMENT_BYTES} bytes")]
    TooLarge,
    /// Its head is not data.
    #[error("{message}")]
    Frontmatter { place: Place, message: String },
    /// A value is not of the format, or changes what stays.
    #[error("{pointer}: {message}")]
    Schema {
        pointer: String,
        message: String,
        place: Option<Place>,
    },
    #[error(transparent)]
    Transition(#[from] Box<RefusedTransition>),
}

/// A step through the graph that is not legal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{reason}")]
#[serde(rename_all = "camelCase")]
pub struct RefusedTransition {
    pub from: String,
    pub to: String,
    /// The ways that are open.
    pub allowed_next: Vec<AllowedWay>,
    /// Files that have to be written first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    #[serde(skip)]
    pub reason: String,
}

/// A way that a run may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AllowedWay {
    pub to: String,
    pub label: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_default: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition_text: Option<String>,
}

impl AllowedWay {
    pub(crate) fn of(edge: &Edge) -> Self {
        Self {
            to: edge.to.clone(),
            label: edge.label.clone(),
            is_default: edge.is_default,
            condition_text: edge.condition_text.clone(),
        }
    }
}

impl GuardError {
    pub(crate) fn schema(pointer: &str, message: &str) -> Self {
        Self::Schema {
            pointer: pointer.to_owned(),
            message: message.to_owned(),
            place: None,
        }
    }

    /// The code of the error, as tools name it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::TooLarge => "E_WRITE_LIMIT",
            Self::Frontmatter { .. } => "E_INVALID_FRONTMATTER",
            Self::Schema { .. } => "E_SCHEMA_VALIDATION",
            Self::Transition(_) => "E_INVALID_TRANSITION",
        }
    }

    /// The facts for the one who makes the next attempt.
    pub fn details(&self) -> Map<String, Value> {
        let mut details = match self {
            Self::TooLarge => json!({ "maxBytes": MAX_DOCUMENT_BYTES }),
            Self::Frontmatter { .. } => json!({}),
            Self::Schema { pointer, .. } => json!({ "pointer": pointer }),
            Self::Transition(refused) => json!(refused),
        };
        let place = match self {
            Self::Frontmatter { place, .. } => Some(place),
            Self::Schema { place, .. } => place.as_ref(),
            _ => None,
        };
        if let Some(Place { line, column }) = place {
            details["line"] = json!(line);
            details["column"] = json!(column);
        }
        match details {
            Value::Object(details) => details,
            _ => Map::new(),
        }
    }
}

impl From<RefusedTransition> for GuardError {
    fn from(refused: RefusedTransition) -> Self {
        Self::Transition(Box::new(refused))
    }
}

impl From<RunDocumentError> for GuardError {
    fn from(error: RunDocumentError) -> Self {
        let message = error.to_string();
        match error {
            RunDocumentError::TooLarge => Self::TooLarge,
            RunDocumentError::Head(head) => Self::Frontmatter {
                place: head.place,
                message,
            },
            RunDocumentError::Form {
                pointer,
                message,
                place,
            } => Self::Schema {
                pointer,
                message,
                place,
            },
            // It is about the head as a whole.
            RunDocumentError::Edit(_) => Self::Frontmatter {
                place: Place { line: 1, column: 1 },
                message,
            },
        }
    }
}
