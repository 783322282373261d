//! Checks that path and pattern arguments share.

use crate::error::ToolError;

/// Refuses an argument without text, with more than `most` bytes, or with a NUL character, which no name has.
pub(crate) fn check_text(
    argument: &str,
    text: &str,
    most: usize,
    instead: &str,
) -> Result<(), ToolError> {
    let wrong = if text.is_empty() {
        format!("is empty; {instead}")
    } else if text.len() > most {
        format!("has {} bytes; at most {most} are possible", text.len())
    } else if text.contains('\0') {
        "has a NUL character".to_owned()
    } else {
        return Ok(());
    };
    Err(ToolError::invalid(format!("`{argument}` {wrong}")))
}
