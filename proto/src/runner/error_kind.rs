use crate::named::named;

named! {
    /// Why a runner could not run a turn, or did not end it. The name is the code of the turn's error.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum RunnerErrorKind {
        /// Its program was not found.
        NotInstalled = "runner_not_installed",
        /// It has no account to work with; the hint has the command that logs in.
        NotLoggedIn = "runner_not_logged_in",
        /// Its version is older than the oldest that is known to work.
        TooOld = "runner_too_old",
        /// The context to resume is gone. Nothing of the prompt was delivered.
        ContextLost = "runner_context_lost",
        /// It would act without asking, where the session wants to be asked.
        Unsuitable = "runner_unsuitable",
        /// Its process ended, or it reported a failure.
        Failed = "runner_failed",
        /// It broke its protocol.
        Protocol = "runner_protocol",
        /// It made no progress for too long.
        Stalled = "runner_stalled",
    }
}

impl RunnerErrorKind {
    /// Returns whether the same message may succeed later, with nothing changed by a person.
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::ContextLost | Self::Failed | Self::Stalled)
    }
}
