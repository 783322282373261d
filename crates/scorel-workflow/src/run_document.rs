use scorel_frontmatter::{Document, DocumentError, EditError, Place};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::format;
use crate::run_state::RunState;
use crate::shape::ShapeCheck;
use crate::state_update::StateUpdate;

/// Bytes of a run's document.
pub const MAX_DOCUMENT_BYTES: usize = 256 * 1024;

/// Decisions in its log.
pub const MAX_DECISIONS: usize = 1_000;

/// The state of a run: a text whose head is data.
#[derive(Debug, Clone)]
pub struct RunDocument {
    document: Document,
    state: RunState,
}

/// The reason why a text is not the state of a run, or why it was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunDocumentError {
    #[error("it has more than {MAX_DOCUMENT_BYTES} bytes")]
    TooLarge,
    #[error(transparent)]
    Head(#[from] DocumentError),
    /// A value is not of the format.
    #[error("{pointer}: {message}")]
    Form {
        pointer: String,
        message: String,
        /// Absent for a field that is missing.
        place: Option<Place>,
    },
    #[error(transparent)]
    Edit(#[from] EditError),
}

impl RunDocument {
    /// Reads a document.
    ///
    /// # Errors
    /// Its head is not data of the format, or it is too large.
    pub fn parse(text: impl Into<String>) -> Result<Self, RunDocumentError> {
        let text = text.into();
        if text.len() > MAX_DOCUMENT_BYTES {
            return Err(RunDocumentError::TooLarge);
        }
        Self::of(Document::parse(text)?)
    }

    pub fn text(&self) -> &str {
        self.document.text()
    }

    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// This document with an update, as of a time in RFC 3339. Only the fields of the update and `updatedAt` change.
    ///
    /// # Errors
    /// The values cannot be written, or the document would be too large.
    pub fn updated(&self, update: &StateUpdate, now: &str) -> Result<Self, RunDocumentError> {
        self.with(&update.changes(&self.state), now)
    }

    /// This document with other values in its head, as of a time in RFC 3339.
    ///
    /// # Errors
    /// The values are not of the format or cannot be written, or the document would be too large.
    pub fn with(&self, values: &[(&str, Value)], now: &str) -> Result<Self, RunDocumentError> {
        let mut document = self.document.clone();
        for (key, value) in values {
            document = document.set(key, value)?;
        }
        Self::of(document.set("updatedAt", &json!(now))?)
    }

    fn of(document: Document) -> Result<Self, RunDocumentError> {
        if document.text().len() > MAX_DOCUMENT_BYTES {
            return Err(RunDocumentError::TooLarge);
        }
        let head = Value::Object(document.values().clone());
        let mut first = None;
        let report = |pointer: &str, message: String| {
            first.get_or_insert((pointer.to_owned(), message));
        };
        ShapeCheck { report }.check(&head, &format::DOCUMENT, "");
        let form = |(pointer, message): (String, String)| RunDocumentError::Form {
            place: document.place(&pointer),
            pointer,
            message,
        };
        if let Some(mistake) = first {
            return Err(form(mistake));
        }
        let state = RunState::deserialize(head);
        let state = state.map_err(|error| form((String::new(), error.to_string())))?;
        if state.decision_log.len() > MAX_DECISIONS {
            let message = format!("it has more than {MAX_DECISIONS} decisions");
            return Err(form(("/decisionLog".to_owned(), message)));
        }
        Ok(Self { document, state })
    }
}
