use std::process::ExitCode;

/// Exit codes of the daemon, from `sysexits.h`: a stable interface for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DaemonExit {
    /// Stopped on request, or another daemon already serves the home.
    Ok = 0,
    Usage = 64,
    /// Another daemon holds the home and does not become ready; under a service manager, it did not
    /// end.
    Unavailable = 69,
    /// A defect.
    Software = 70,
    /// The system refused to read, write or listen.
    Io = 74,
    /// The daemon hung, or did not end in time.
    Hung = 75,
    /// The home or a file in it is invalid, which the message says how to fix; or the home was
    /// deleted while the daemon ran.
    Config = 78,
}

impl DaemonExit {
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }
}

impl From<DaemonExit> for ExitCode {
    fn from(exit: DaemonExit) -> Self {
        Self::from(exit.code())
    }
}
