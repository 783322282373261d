//! The processes below the supervisor: the shell and all its descendants.

use std::collections::HashSet;

use nix::unistd::getpid;
use rustix::io::Errno;
// Not nix: its `waitpid` fails with EINVAL for a child that a real-time signal killed, after it has
// reaped it.
use rustix::process::{Signal, WaitOptions, WaitStatus, wait};

use crate::job::ShellExit;
use crate::process_table::{self, Process};
use crate::signal;

/// The shell and its descendants. A process that loses its parent becomes a child of the supervisor,
/// which is a subreaper; so once there are no children, there are no descendants either.
pub(super) struct ChildProcesses {
    shell: i32,
    all_ended: bool,
    /// Process ids with start times, since a process id may be used again.
    signalled: HashSet<(i32, u64)>,
}

impl ChildProcesses {
    pub(super) fn new(shell: i32) -> Self {
        Self {
            shell,
            all_ended: false,
            signalled: HashSet::new(),
        }
    }

    /// Waits for every child that has ended. Returns the shell's exit if it was among them.
    pub(super) fn reap(&mut self) -> Option<ShellExit> {
        let mut shell_exit = None;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == self.shell => {
                    shell_exit = exit(status);
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return shell_exit,
                // ECHILD.
                Err(_) => {
                    self.all_ended = true;
                    return shell_exit;
                }
            }
        }
    }

    pub(super) fn all_ended(&self) -> bool {
        self.all_ended
    }

    /// Sends a signal to every process that exists now.
    pub(super) fn signal(&mut self, which: Signal) {
        for process in living() {
            if signal::send(&process, which) {
                self.signalled.insert((process.pid, process.started));
            }
        }
    }

    /// How many different processes got a signal.
    pub(super) fn signalled(&self) -> u32 {
        u32::try_from(self.signalled.len()).unwrap_or(u32::MAX)
    }

    /// How many processes are left.
    pub(super) fn survivors(&self) -> u32 {
        if self.all_ended {
            return 0;
        }
        u32::try_from(living().count()).unwrap_or(u32::MAX)
    }
}

fn living() -> impl Iterator<Item = Process> {
    let table = process_table::all();
    let descendants = process_table::descendants(&table, getpid().as_raw());
    descendants.into_iter().filter(|process| !process.is_zombie)
}

fn exit(status: WaitStatus) -> Option<ShellExit> {
    let code = status.exit_status().map(ShellExit::Code);
    code.or_else(|| status.terminating_signal().map(ShellExit::Signal))
}
