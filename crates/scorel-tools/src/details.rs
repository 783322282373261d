//! Common parts of reports.

use scorel_engine::ToolOutcome;
use serde::Serialize;

/// For `skip_serializing_if`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The note on files that permission rules withhold: their number, and nothing else about them.
pub(crate) fn kept_back(count: u64) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 file left out by permission rules.".to_owned()),
        _ => Some(format!("{count} files left out by permission rules.")),
    }
}

/// A success: a text with a note at its end for the model, and the fields of `figures` for user interfaces.
pub(crate) fn noted(text: &str, hint: Option<&str>, figures: &impl Serialize) -> ToolOutcome {
    let hint = hint.map(|hint| format!("[{hint}]\n"));
    ToolOutcome::success(format!("{text}{}", hint.unwrap_or_default()), figures)
}
