use scorel_proto::TurnError;

/// The error of a turn that a limit ended.
pub(crate) fn limit(code: &str, message: impl Into<String>) -> TurnError {
    TurnError {
        code: code.to_owned(),
        message: message.into(),
        retryable: false,
        hint: None,
        resets_at: None,
        sizes: None,
    }
}
