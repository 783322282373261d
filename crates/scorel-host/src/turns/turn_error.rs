use std::fmt;

use scorel_proto::TurnError;

/// An error that ends a turn before it begins. A repetition would meet it again.
pub(crate) fn turn_error(code: &str, message: impl Into<String>) -> TurnError {
    TurnError {
        code: code.to_owned(),
        message: message.into(),
        retryable: false,
        hint: None,
        resets_at: None,
        sizes: None,
    }
}

pub(super) fn config_error(error: impl fmt::Display) -> TurnError {
    turn_error("config_error", error.to_string())
}
