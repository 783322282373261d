//! The document of a run as a file.

use std::path::Path;

use scorel_journal::{FileStorage, read_bounded};
use scorel_tools::{ErrorCode, ToolError};
use scorel_workflow::{GuardError, MAX_DOCUMENT_BYTES, RunDocument};

/// The name of the document in the directory of the state.
pub(crate) const DOCUMENT: &str = "workflow.md";

/// The document as tools name it.
pub(crate) const DOCUMENT_PATH: &str = "@state/workflow.md";

/// The document in the directory of a state, if it can be read.
pub(crate) fn read_document(state: &Path) -> Option<RunDocument> {
    let max = MAX_DOCUMENT_BYTES as u64;
    let bytes = read_bounded(&FileStorage, &state.join(DOCUMENT), max).ok()?;
    RunDocument::parse(String::from_utf8(bytes).ok()?).ok()
}

/// A document that is there, for a change of it.
pub(crate) fn parsed(text: &str) -> Result<RunDocument, ToolError> {
    RunDocument::parse(text).map_err(|error| {
        let error = refused(&error.into());
        let message = format!(
            "the run's document is broken: {}; a person has to repair it",
            error.message
        );
        ToolError { message, ..error }
    })
}

/// The error of a tool for what the guard refuses.
pub(crate) fn refused(error: &GuardError) -> ToolError {
    let code = match error {
        GuardError::TooLarge => ErrorCode::WriteLimit,
        GuardError::Frontmatter { .. } => ErrorCode::InvalidFrontmatter,
        GuardError::Schema { .. } => ErrorCode::SchemaValidation,
        GuardError::Transition(_) => ErrorCode::InvalidTransition,
    };
    ToolError {
        code,
        message: error.to_string(),
        details: error.details(),
    }
}
