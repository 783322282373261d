use std::process::ExitCode;

/// Exit codes: a stable interface for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FsckExit {
    /// No problems, or all repaired.
    Clean = 0,
    /// Problems remain.
    Found = 1,
    Usage = 2,
    /// Could not check or repair.
    Unchecked = 3,
}

impl From<FsckExit> for ExitCode {
    fn from(exit: FsckExit) -> Self {
        Self::from(exit as u8)
    }
}
