use jiff::Timestamp;
use scorel_tools::{ErrorCode, ToolError};
use scorel_workflow::StateUpdate;

use super::operation::Operation;
use crate::document::{DOCUMENT_PATH, parsed, refused};

/// A text with the changes of a patch so far.
#[derive(Debug)]
pub(super) struct PatchedText {
    pub(super) text: String,
    is_document: bool,
}

impl PatchedText {
    pub(super) fn new(text: &str, is_document: bool) -> Self {
        Self {
            text: text.to_owned(),
            is_document,
        }
    }

    pub(super) fn apply(&mut self, operation: &Operation) -> Result<(), ToolError> {
        match operation {
            Operation::UpdateFrontmatter(update) => self.update(update),
            Operation::ReplaceText { old, new } => self.replace(old, new),
            Operation::AppendText(text) => {
                let text = self.with_line_ends(text);
                self.text.push_str(&text);
                Ok(())
            }
        }
    }

    fn update(&mut self, update: &StateUpdate) -> Result<(), ToolError> {
        if !self.is_document {
            let message = format!("`updateFrontmatter` is for {DOCUMENT_PATH} only");
            return Err(ToolError::new(ErrorCode::InvalidArguments, message));
        }
        let now = Timestamp::now().to_string();
        let updated = parsed(&self.text)?.updated(update, &now);
        let updated = updated.map_err(|error| refused(&error.into()))?;
        updated.text().clone_into(&mut self.text);
        Ok(())
    }

    fn replace(&mut self, old: &str, new: &str) -> Result<(), ToolError> {
        let (old, new) = (self.with_line_ends(old), self.with_line_ends(new));
        let code = match self.text.matches(&*old).count() {
            1 => {
                self.text = self.text.replacen(&*old, &new, 1);
                return Ok(());
            }
            0 => ErrorCode::TextNotFound,
            _ => ErrorCode::Ambiguous,
        };
        let message = match code {
            ErrorCode::TextNotFound => "`old` is not in the file",
            _ => "`old` is in the file more than once; give more of what is around it",
        };
        Err(ToolError::new(code, message))
    }

    /// A text of the call with the ends of lines that the file has.
    fn with_line_ends(&self, text: &str) -> String {
        match self.text.contains("\r\n") && !text.contains('\r') {
            true => text.replace('\n', "\r\n"),
            false => text.to_owned(),
        }
    }
}
