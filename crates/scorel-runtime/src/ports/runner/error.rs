use scorel_proto::TurnError;

/// Why a runner could not run a turn, or did not end it.
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

/// The kinds of [`RunnerError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerErrorKind {
    /// Its program was not found.
    NotInstalled,
    /// It has no account to work with.
    NotLoggedIn,
    /// Its version is older than the oldest that is known to work.
    TooOld,
    /// The context to resume is gone. Nothing of the prompt was delivered.
    ContextLost,
    /// It would act without asking, where the session wants to be asked.
    Unsuitable,
    /// Its process ended, or it reported a failure.
    Failed,
    /// It broke its protocol.
    Protocol,
    /// It made no progress for too long.
    Stalled,
}

impl RunnerErrorKind {
    /// The code of a turn's error.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotInstalled => "runner_not_installed",
            Self::NotLoggedIn => "runner_not_logged_in",
            Self::TooOld => "runner_too_old",
            Self::ContextLost => "runner_context_lost",
            Self::Unsuitable => "runner_unsuitable",
            Self::Failed => "runner_failed",
            Self::Protocol => "runner_protocol",
            Self::Stalled => "runner_stalled",
        }
    }

    /// Whether the same message may succeed later, with nothing changed by a person.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::ContextLost | Self::Failed | Self::Stalled)
    }
}

impl RunnerError {
    /// An error without a hint.
    #[must_use]
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
    #[must_use]
    pub fn turn_error(&self) -> TurnError {
        TurnError {
            code: self.kind.code().to_owned(),
            message: self.message.clone(),
            retryable: self.kind.is_retryable(),
            hint: self.hint.clone(),
            resets_at: None,
            sizes: None,
        }
    }
}
