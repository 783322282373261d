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

/// Rounds in which processes are listed to be stopped. One that forked between the listing and its stop leaves
/// a child that was not listed.
const FREEZE_ROUNDS: usize = 10;

/// The shell and its descendants. A process that loses its parent becomes a child of the supervisor,
/// which is a subreaper, or of the init of its pid namespace, which is the supervisor's child; so once
/// there are no children, there are no descendants either.
#[derive(Default)]
pub(super) struct ChildProcesses {
    /// The child that was started, until it has ended. It becomes the shell, or starts the init of a
    /// pid namespace.
    stage: Option<i32>,
    /// The init of the command's pid namespace, until it has ended.
    init: Option<i32>,
    pub(super) has_namespace: bool,
    /// True if a child other than the stage has ended. With a namespace that is the init.
    has_other_ended: bool,
    pub(super) all_ended: bool,
    /// The last listing.
    listed: Vec<Process>,
    /// Process ids with start times, since a process id may be used again.
    signalled: HashSet<(i32, u64)>,
}

impl ChildProcesses {
    pub(super) fn new(stage: i32) -> Self {
        Self {
            stage: Some(stage),
            ..Self::default()
        }
    }

    /// The process that becomes the shell, or the init of the shell's pid namespace.
    pub(super) fn first(&self) -> Option<i32> {
        self.init.or(self.stage)
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

    /// The processes that are measured, without the init; no more than it takes to exceed `limit`. Beside
    /// a fork bomb, the whole table would take seconds.
    pub(super) fn measured(&mut self, limit: u64) -> io::Result<Vec<Process>> {
        let at_most = limit.saturating_add(1);
        let Some(mut found) = process_table::living_below(getpid().as_raw(), at_most)? else {
            return self.living();
        };
        found.retain(|process| Some(process.pid) != self.init);
        self.listed.clone_from(&found);
        Ok(found)
    }

    /// Every process that exists now, without the init.
    pub(super) fn living(&mut self) -> io::Result<Vec<Process>> {
        let table = process_table::all()?;
        let mut found = process_table::descendants(&table, getpid().as_raw());
        found.retain(|process| !process.is_zombie && Some(process.pid) != self.init);
        self.listed.clone_from(&found);
        Ok(found)
    }

    /// Sends a signal to every process that exists now, except the init, which ends with them.
    pub(super) fn signal(&mut self, which: Signal) -> io::Result<()> {
        for process in self.living()? {
            if signal::send(&process, which)? {
                self.signalled.insert(identity(&process));
            }
        }
        Ok(())
    }

    /// Kills every process that exists now.
    ///
    /// The kernel does that for a pid namespace whose init it kills, and starts no new one in it. That is
    /// one call, and to list them first would take long beside a fork bomb.
    pub(super) fn kill(&mut self) -> io::Result<()> {
        if self.init.is_some() {
            self.signalled
                .extend(self.listed.drain(..).map(|it| identity(&it)));
        }
        // Neither was waited for, so the process ids are still theirs.
        for child in [self.init, self.stage].into_iter().flatten() {
            if let Some(pid) = Pid::from_raw(child) {
                // Fails if it has ended.
                let _ignored = kill_process(pid, Signal::KILL);
            }
        }
        if !self.has_namespace {
            self.freeze()?;
        }
        self.signal(Signal::KILL)
    }

    /// Stops every process, so that none forks while the others are killed.
    fn freeze(&mut self) -> io::Result<()> {
        let mut stopped = HashSet::new();
        for _ in 0..FREEZE_ROUNDS {
            let before = stopped.len();
            for process in self.living()? {
                if stopped.insert(identity(&process)) {
                    signal::send(&process, Signal::STOP)?;
                }
            }
            if stopped.len() == before {
                break;
            }
        }
        Ok(())
    }

    /// The number of different processes that got a signal.
    pub(super) fn signalled(&self) -> u32 {
        u32::try_from(self.signalled.len()).unwrap_or(u32::MAX)
    }

    /// The number of processes that are left.
    pub(super) fn survivors(&mut self) -> io::Result<u32> {
        if self.all_ended {
            return Ok(0);
        }
        let count = self.living()?.len() + usize::from(self.init.is_some());
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }
}

fn identity(process: &Process) -> (i32, u64) {
    (process.pid, process.started)
}
