use std::path::PathBuf;
use std::sync::OnceLock;

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::login_answer::{LoginAnswer, LoginError};

pub(super) type Login = Result<LoginAnswer, LoginError>;

/// The question to the login shell in one directory, asked once.
#[derive(Debug, Default)]
pub(super) struct LoginQuestion {
    answer: OnceLock<Login>,
    /// The shell that runs, and since when.
    asked: OnceLock<(PathBuf, Timestamp)>,
    /// Cancelled once there is an answer.
    answered: CancellationToken,
    /// Set when the first wait begins.
    awaited: OnceLock<()>,
}

impl LoginQuestion {
    /// The answer. Blocks while `ask` finds it out, here or in another thread.
    pub(super) fn answer(&self, ask: impl FnOnce() -> Login) -> &Login {
        // With a panic as well: those who wait then find it out themselves.
        let _answered = self.answered.clone().drop_guard();
        self.answer.get_or_init(ask)
    }

    pub(super) fn known(&self) -> Option<&Login> {
        self.answer.get()
    }

    pub(super) fn begin(&self, shell: PathBuf) {
        let _is_first = self.asked.set((shell, Timestamp::now())).is_ok();
    }

    /// True for the first wait, which has the shell asked.
    pub(super) fn is_first_wait(&self) -> bool {
        self.awaited.set(()).is_ok()
    }

    pub(super) fn answered(&self) -> CancellationToken {
        self.answered.clone()
    }

    /// The text for the session's `problem`.
    pub(super) fn reason(&self) -> String {
        match self.asked.get() {
            Some((shell, since)) => format!(
                "waits since {since:.0} for the login shell {}, which reads its start-up files, before the call \
                 begins",
                shell.display()
            ),
            None => "waits for the login shell before the call begins".to_owned(),
        }
    }
}
