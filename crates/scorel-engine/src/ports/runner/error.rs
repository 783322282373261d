use scorel_proto::{RunnerErrorKind, TurnError};

/// The reason why a runner could not run a turn, or did not end it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RunnerError {
    /// What went wrong.
    pub kind: RunnerErrorKind,
    /// A description for people.
    pub message: String,
    /// What helps, such as the command that logs in.
    pub hint: Option<String>,
}

impl RunnerError {
    /// An error without a hint.
    pub fn new(kind: RunnerErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
        }
    }

    /// The same with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The error of the turn.
    pub fn turn_error(&self) -> TurnError {
        TurnError {
            code: self.kind.name().to_owned(),
            message: self.message.clone(),
            retryable: self.kind.is_retryable(),
            hint: self.hint.clone(),
            resets_at: None,
            sizes: None,
        }
    }
}
