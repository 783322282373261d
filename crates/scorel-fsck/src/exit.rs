use std::process::ExitCode;

/// How a check ends. The numbers are a stable interface for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FsckExit {
    /// Nothing is wrong, or nothing any more.
    Clean = 0,
    /// Something is wrong and was not repaired.
    Found = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The check, or the repair, did not take place.
    Unchecked = 3,
}

impl From<FsckExit> for ExitCode {
    fn from(exit: FsckExit) -> Self {
        Self::from(exit as u8)
    }
}
