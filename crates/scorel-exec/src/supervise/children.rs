//! The processes below the supervisor.

use std::collections::HashSet;

use nix::unistd::getpid;
use rustix::io::Errno;
use rustix::process::{Signal, WaitOptions, WaitStatus, wait};

use crate::job::Exit;
use crate::process_table::{self, Process};
use crate::signal;

/// The shell and everything that descends from it. Whoever loses its parent becomes a child of the
/// supervisor, so that without children there are no descendants either.
pub(super) struct Children {
    shell: i32,
    all_ended: bool,
    signalled: HashSet<(i32, u64)>,
}

impl Children {
    pub(super) fn new(shell: i32) -> Self {
        Self {
            shell,
            all_ended: false,
            signalled: HashSet::new(),
        }
    }

    /// Takes note of every child that has ended. Returns how the shell did if it was among them.
    pub(super) fn reap(&mut self) -> Option<Exit> {
        let mut shell_exit = None;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == self.shell => {
                    shell_exit = exit(status);
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return shell_exit,
                Err(_) => {
                    self.all_ended = true;
                    return shell_exit;
                }
            }
        }
    }

    /// Whether nothing is left.
    pub(super) fn all_ended(&self) -> bool {
        self.all_ended
    }

    /// Sends a signal to every process that is there now.
    pub(super) fn signal(&mut self, which: Signal) {
        for process in living() {
            if signal::send(&process, which) {
                self.signalled.insert((process.pid, process.started));
            }
        }
    }

    /// How many processes got a signal.
    pub(super) fn signalled(&self) -> u32 {
        u32::try_from(self.signalled.len()).unwrap_or(u32::MAX)
    }

    /// How many processes are there.
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

fn exit(status: WaitStatus) -> Option<Exit> {
    let code = status.exit_status().map(Exit::Code);
    code.or_else(|| status.terminating_signal().map(Exit::Signal))
}
