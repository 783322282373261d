use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a runner could not run a turn, or did not end it. The name is the code of the turn's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum RunnerErrorKind {
    /// Its program was not found.
    #[serde(rename = "runner_not_installed")]
    NotInstalled,
    /// It has no account to work with; the hint has the command that logs in.
    #[serde(rename = "runner_not_logged_in")]
    NotLoggedIn,
    /// Its version is older than the oldest that is known to work.
    #[serde(rename = "runner_too_old")]
    TooOld,
    /// The context to resume is gone. Nothing of the prompt was delivered.
    #[serde(rename = "runner_context_lost")]
    ContextLost,
    /// It would act without asking, where the session wants to be asked.
    #[serde(rename = "runner_unsuitable")]
    Unsuitable,
    /// Its process ended, or it reported a failure.
    #[serde(rename = "runner_failed")]
    Failed,
    /// It broke its protocol.
    #[serde(rename = "runner_protocol")]
    Protocol,
    /// It made no progress for too long.
    #[serde(rename = "runner_stalled")]
    Stalled,
}

impl RunnerErrorKind {
    /// All kinds, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::NotInstalled,
        Self::NotLoggedIn,
        Self::TooOld,
        Self::ContextLost,
        Self::Unsuitable,
        Self::Failed,
        Self::Protocol,
        Self::Stalled,
    ];

    /// The code of a turn's error, and the name on the wire.
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

#[cfg(test)]
mod tests {
    use super::RunnerErrorKind;

    #[test]
    fn the_code_is_the_name_on_the_wire() {
        for kind in RunnerErrorKind::ALL {
            let name = serde_json::to_value(kind).expect("a kind is JSON");
            assert_eq!(name, kind.code());
        }
    }
}
