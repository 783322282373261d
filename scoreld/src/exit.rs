use std::process::ExitCode;

/// How the daemon's process ends. The numbers are those of `sysexits.h` and part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It ran and stopped when asked, or a daemon that is ready serves this home already.
    Ok = 0,
    /// The command line is wrong.
    Usage = 64,
    /// Another daemon holds the home and does not become ready.
    Unavailable = 69,
    /// Something in the daemon failed that should not.
    Software = 70,
    /// The system refused to read, write or listen.
    Io = 74,
    /// The home or a file in it needs to be put right; the message says how.
    Config = 78,
}

impl Exit {
    /// The number that the system sees.
    #[must_use]
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
