use std::collections::BTreeMap;
use std::path::PathBuf;

use scorel_exec::Umask;

/// The environment and umask that a login shell reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoginAnswer {
    pub shell: PathBuf,
    pub variables: BTreeMap<String, String>,
    pub umask: Option<Umask>,
}

/// The reason why a login shell's environment is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LoginError {
    #[error("`loginShell` in `[tools.environment]` is \"off\"")]
    Off,
    #[error("the user's home is unknown")]
    NoHome,
    #[error("the user has no login shell")]
    NoShell,
    #[error("the login shell cannot run in {directory}: {reason}")]
    Directory { directory: PathBuf, reason: String },
    #[error("the login shell {shell} was not started: {reason}")]
    NotStarted { shell: PathBuf, reason: String },
    #[error("the login shell {shell} did not end within {seconds} s")]
    TimedOut { shell: PathBuf, seconds: u64 },
    #[error("the login shell {shell} printed more than {limit} bytes")]
    TooMuch { shell: PathBuf, limit: usize },
    #[error("the login shell {shell} ended without telling its environment")]
    NoAnswer { shell: PathBuf },
}
