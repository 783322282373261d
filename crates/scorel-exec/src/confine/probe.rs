//! Trying in a child process what this user may do.

use std::env;
use std::process::{Command, ExitCode, Stdio};

use crate::role::Role;

/// Set in a probe so that it starts no further probe: a test program that does not call [`run_if_asked`]
/// would run its tests again in the probe.
///
/// [`run_if_asked`]: crate::run_if_asked
const PROBING: &str = "SCOREL_PROBE";

/// The exit code of a successful probe. Not 0: a program without [`run_if_asked`] ignores the
/// argument and may well succeed at whatever it does.
///
/// [`run_if_asked`]: crate::run_if_asked
const SUCCESS: u8 = 113;

/// Whether a probe succeeds.
pub(super) fn succeeds(probe: Role) -> bool {
    env::var_os(PROBING).is_none() && child_succeeds(probe)
}

/// The same for a probe that is the second half of another one.
pub(super) fn child_succeeds(probe: Role) -> bool {
    let tried = Command::new("/proc/self/exe")
        .arg(probe.argument())
        .env_clear()
        .env(PROBING, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.code() == Some(i32::from(SUCCESS)))
}

/// The exit code of a probe.
pub(super) fn result(is_possible: bool) -> ExitCode {
    ExitCode::from(if is_possible { SUCCESS } else { 1 })
}
