use std::process::ExitCode;

/// Exit codes: a stable interface for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConfigExit {
    Ok = 0,
    /// A file is invalid, or a key has no value.
    Wanting = 1,
    Usage = 2,
    /// Nothing was changed.
    Refused = 3,
}

impl ConfigExit {
    pub(super) const fn of(is_as_wanted: bool) -> Self {
        match is_as_wanted {
            true => Self::Ok,
            false => Self::Wanting,
        }
    }
}

impl From<ConfigExit> for ExitCode {
    fn from(exit: ConfigExit) -> Self {
        Self::from(exit as u8)
    }
}
