//! Signals to processes that may have ended already.

// nix has no pidfd_open and pidfd_send_signal.
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::process_table::Process;

/// Sends a signal to exactly that process, and returns whether it was sent.
///
/// `kill` would hit whichever process has the process id by now. A pidfd keeps referring to one
/// process; that it is the right one, the start time tells, compared after the pidfd was opened.
pub(crate) fn send(process: &Process, signal: Signal) -> bool {
    let Some(pid) = Pid::from_raw(process.pid) else {
        return false;
    };
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
        return false;
    };
    let is_same = Process::find(process.pid).is_some_and(|found| found.started == process.started);
    is_same && pidfd_send_signal(&handle, signal).is_ok()
}
