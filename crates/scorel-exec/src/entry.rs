//! The entry point of the program's own child processes.

use std::process::ExitCode;

use crate::role::Role;

/// Runs as a supervisor or another helper if the program was started as one, and returns the
/// exit code; `None` if it was started by a user.
///
/// Call it first in `main`: a supervisor copies itself, and a process with more than one thread cannot; nor may
/// such a process enter a user namespace.
pub fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let (first, None) = (arguments.next()?, arguments.next()) else {
        return None;
    };
    let role = Role::from_argument(first.to_str()?)?;
    #[cfg(target_os = "linux")]
    return Some(match role {
        Role::Supervisor => crate::supervise::supervise(),
        Role::MountProbe => crate::confine::try_mounts(),
        Role::ProcessProbe => crate::confine::try_processes(),
        Role::TaskLimitProbe => crate::confine::try_task_limit(),
        Role::SpaceProbe => crate::confine::try_space(),
        Role::SpaceHolder => crate::confine::hold_space(),
    });
    #[cfg(not(target_os = "linux"))]
    {
        let _unsupported = role;
        None
    }
}
