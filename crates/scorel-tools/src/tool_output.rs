//! The result of a call that worked.

use scorel_engine::ToolOutcome;
use scorel_proto::{Block, FileChange, RecordedFiles};
use serde::Serialize;
use serde_json::Value;

/// The result of a call that worked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolOutput {
    /// For the model.
    pub(crate) text: String,
    /// For the model, after the text.
    pub(crate) picture: Option<Block>,
    /// For user interfaces.
    pub(crate) details: Value,
    /// The file that the call changed, if it is recorded.
    pub(crate) changed: Option<FileChange>,
}

impl ToolOutput {
    /// `text` for the model, and the fields of `figures` for user interfaces.
    pub(crate) fn new(text: String, figures: &impl Serialize) -> Self {
        let outcome = ToolOutcome::success(String::new(), figures);
        Self {
            text,
            picture: None,
            details: outcome.details.unwrap_or_default(),
            changed: None,
        }
    }

    /// A text with a note at its end for the model.
    pub(crate) fn noted(text: &str, hint: Option<&str>, figures: &impl Serialize) -> Self {
        let hint = hint.map(|hint| format!("[{hint}]\n"));
        Self::new(format!("{text}{}", hint.unwrap_or_default()), figures)
    }
}

impl From<ToolOutput> for ToolOutcome {
    fn from(output: ToolOutput) -> Self {
        Self {
            content: std::iter::once(Block::text(output.text))
                .chain(output.picture)
                .collect(),
            is_error: false,
            details: Some(output.details),
            recorded: Box::new(RecordedFiles {
                files: output.changed.into_iter().collect(),
                unwatched: None,
            }),
        }
    }
}
