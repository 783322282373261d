//! The program as one of its own children.

use std::process::ExitCode;

/// The argument that makes the program a supervisor.
pub(crate) const SUPERVISE: &str = "--supervise";

/// The argument that makes the program the stage before a command.
pub(crate) const CONFINE: &str = "--confine";

/// The argument that makes the program try whether it can mount.
pub(crate) const TRY_MOUNTS: &str = "--try-mounts";

/// Does the work of a supervisor or of a stage if the program was started as one, and returns its
/// exit code then. To be called first in `main`, while the process has one thread.
#[must_use]
pub fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let (first, None) = (arguments.next()?, arguments.next()) else {
        return None;
    };
    match first.to_str()? {
        #[cfg(target_os = "linux")]
        SUPERVISE => Some(crate::supervise::supervise()),
        #[cfg(target_os = "linux")]
        CONFINE => Some(crate::confine::confine()),
        #[cfg(target_os = "linux")]
        TRY_MOUNTS => Some(crate::confine::try_mounts()),
        _ => None,
    }
}
