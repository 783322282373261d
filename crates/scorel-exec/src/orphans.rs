//! What commands leave behind whose supervisor was killed.

use std::thread;
use std::time::{Duration, Instant};

use nix::unistd::{getpid, getsid};
use rustix::process::{Pid, Signal, WaitOptions, waitpid};

use crate::process_table::{self, Process};
use crate::signal;
use crate::supervisors::Supervisors;

/// How long processes that cannot be killed are tried.
const LIMIT: Duration = Duration::from_secs(5);

/// How long to wait before looking again.
const INTERVAL: Duration = Duration::from_millis(5);

/// Kills every process that fell to this one. Blocks until none is left.
///
/// They are known by their session: a supervisor begins a new one, so that nothing below it is ever
/// in this process's own, which its other children are in.
pub(crate) fn end(supervisors: &Supervisors) {
    let deadline = Instant::now() + LIMIT;
    while Instant::now() < deadline {
        let (orphans, descendants) = find(supervisors);
        if orphans.is_empty() {
            return;
        }
        for process in &descendants {
            signal::send(process, Signal::KILL);
        }
        for orphan in orphans {
            if let Some(pid) = Pid::from_raw(orphan.pid) {
                // It may not have ended yet; then it is there in the next round.
                let _ignored = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
        thread::sleep(INTERVAL);
    }
    tracing::warn!("processes that a command left behind cannot be killed");
}

/// The orphans among this process's children, and these with all that descends from them.
fn find(supervisors: &Supervisors) -> (Vec<Process>, Vec<Process>) {
    let own = getpid();
    let session = getsid(None).map_or(own, |session| session).as_raw();
    let live = supervisors.live();
    let table = process_table::all();
    let is_orphan = |process: &&Process| {
        process.parent == own.as_raw()
            && process.session != session
            && !live.supervisors.contains(&process.pid)
    };
    let orphans: Vec<Process> = table.iter().filter(is_orphan).copied().collect();
    let mut all = orphans.clone();
    for orphan in &orphans {
        all.extend(process_table::descendants(&table, orphan.pid));
    }
    (orphans, all)
}
