//! Signals to processes that may be gone already.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::process_table::Process;

/// Sends a signal to exactly that process, never to another that has got its number since. Says
/// whether it was sent.
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
