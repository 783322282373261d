//! Signals to processes that may have ended already.

use std::io;

// nix has no pidfd_open and pidfd_send_signal.
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::process_table::Process;

/// Sends a signal to exactly that process, and returns whether it was sent; not to one that has ended
/// or belongs to another user, as a set-user-id program may.
///
/// `kill` hits whichever process has the process id by now. A pidfd keeps referring to one process, and
/// comparing the start time after opening the pidfd shows that it is the right one.
///
/// # Errors
/// The process cannot be looked at, so that it is not known whether it exists.
pub(crate) fn send(process: &Process, signal: Signal) -> io::Result<bool> {
    let Some(pid) = Pid::from_raw(process.pid) else {
        return Ok(false);
    };
    let handle = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) => handle,
        Err(Errno::SRCH | Errno::INVAL) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let found = Process::find(process.pid)?;
    let is_same = found.is_some_and(|found| found.started == process.started);
    Ok(is_same && pidfd_send_signal(&handle, signal).is_ok())
}
