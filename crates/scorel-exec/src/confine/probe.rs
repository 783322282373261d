//! Trying in a child process what this user may do.

use std::process::{Child, ExitCode, Stdio};
use std::{env, io};

use rustix::process::{WaitOptions, wait};

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

/// A child process that tries something.
#[derive(Debug)]
pub(crate) struct Probe(Option<Child>);

impl Probe {
    /// Starts a probe, which runs until [`Self::succeeds`].
    pub(crate) fn start(role: Role) -> Self {
        let may_probe = env::var_os(PROBING).is_none();
        Self(may_probe.then(|| spawn(role).ok()).flatten())
    }

    /// Waits for the probe.
    pub(crate) fn succeeds(self) -> bool {
        let ended = self.0.map(|mut child| child.wait());
        ended.is_some_and(|ended| ended.is_ok_and(|it| it.code() == Some(i32::from(SUCCESS))))
    }
}

/// Returns whether the second half of a probe succeeds, in the only child of this process.
pub(super) fn child_succeeds(tries: impl FnOnce() -> bool) -> bool {
    let started = scorel_seccomp::fork(|| u8::from(!tries())).is_ok();
    let ended = wait(WaitOptions::empty());
    started && matches!(ended, Ok(Some((_, status))) if status.exit_status() == Some(0))
}

fn spawn(role: Role) -> io::Result<Child> {
    role.command()
        .env(PROBING, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// The exit code of a probe.
pub(super) fn result(is_possible: bool) -> ExitCode {
    ExitCode::from(if is_possible { SUCCESS } else { 1 })
}
