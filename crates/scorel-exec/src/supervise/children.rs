//! The processes below the supervisor: the shell and all its descendants.

use std::collections::HashSet;
use std::io;

use nix::unistd::getpid;
use rustix::io::Errno;
// Not nix: its `waitpid` fails with EINVAL for a child that a real-time signal killed, after it has
// reaped it.
use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};

use crate::job::ShellExit;
use crate::process_table::{self, Process};
use crate::signal;

/// The shell and its descendants. A process that loses its parent becomes a child of the supervisor,
/// which is a subreaper, or of the init of its pid namespace, which is the supervisor's child; so once
/// there are no children, there are no descendants either.
pub(super) struct ChildProcesses {
    /// The child that was started, until it has ended. It becomes the shell, or starts the init of a
    /// pid namespace.
    stage: Option<i32>,
    /// The init of the command's pid namespace, until it has ended.
    init: Option<i32>,
    has_namespace: bool,
    /// Whether a child other than the stage has ended. With a namespace that is the init.
    has_other_ended: bool,
    all_ended: bool,
    /// Process ids with start times, since a process id may be used again.
    signalled: HashSet<(i32, u64)>,
}

impl ChildProcesses {
    pub(super) fn new(stage: i32) -> Self {
        Self {
            stage: Some(stage),
            init: None,
            has_namespace: false,
            has_other_ended: false,
            all_ended: false,
            signalled: HashSet::new(),
        }
    }

    /// Takes the init of the command's pid namespace.
    pub(super) fn set_init(&mut self, init: i32) {
        self.init = (!self.has_other_ended).then_some(init);
        self.has_namespace = true;
    }

    /// Waits for every child that has ended. Returns the shell's exit if it was among them; that of a
    /// shell in a pid namespace is not.
    pub(super) fn reap(&mut self) -> Option<ShellExit> {
        let mut stage_exit = None;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    let pid = Some(pid.as_raw_nonzero().get());
                    if pid == self.stage {
                        stage_exit = ShellExit::of(status);
                        self.stage = None;
                    } else {
                        self.has_other_ended = true;
                        if pid == self.init {
                            self.init = None;
                        }
                    }
                }
                Err(Errno::INTR) => {}
                Ok(None) => break,
                // ECHILD.
                Err(_) => {
                    self.all_ended = true;
                    break;
                }
            }
        }
        stage_exit
    }

    /// Waits until all have ended.
    pub(super) fn wait(&mut self) {
        // ECHILD ends it.
        while !matches!(wait(WaitOptions::empty()), Err(error) if error != Errno::INTR) {}
        self.all_ended = true;
    }

    pub(super) fn all_ended(&self) -> bool {
        self.all_ended
    }

    /// Whether the command has a pid namespace, as far as is known.
    pub(super) fn has_namespace(&self) -> bool {
        self.has_namespace
    }

    /// Every process that exists now, without the init.
    pub(super) fn living(&self) -> io::Result<Vec<Process>> {
        let table = process_table::all()?;
        let mut found = process_table::descendants(&table, getpid().as_raw());
        found.retain(|process| !process.is_zombie && Some(process.pid) != self.init);
        Ok(found)
    }

    /// Sends a signal to every process that exists now, except the init, which ends with them.
    pub(super) fn signal(&mut self, which: Signal) -> io::Result<()> {
        for process in self.living()? {
            if signal::send(&process, which)? {
                self.signalled.insert((process.pid, process.started));
            }
        }
        Ok(())
    }

    /// Kills every process that exists now. The kernel does that for a pid namespace whose init it
    /// kills, and starts no new one in it.
    pub(super) fn kill(&mut self) -> io::Result<()> {
        let listed = self.signal(Signal::KILL);
        // Neither was waited for, so the process ids are still theirs.
        for child in [self.init, self.stage].into_iter().flatten() {
            if let Some(pid) = Pid::from_raw(child) {
                // Fails if it has ended.
                let _ignored = kill_process(pid, Signal::KILL);
            }
        }
        listed
    }

    /// How many different processes got a signal.
    pub(super) fn signalled(&self) -> u32 {
        u32::try_from(self.signalled.len()).unwrap_or(u32::MAX)
    }

    /// How many processes are left.
    pub(super) fn survivors(&self) -> io::Result<u32> {
        if self.all_ended {
            return Ok(0);
        }
        let count = self.living()?.len() + usize::from(self.init.is_some());
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }
}
