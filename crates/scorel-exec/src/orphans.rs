//! Killing what a command leaves behind when its supervisor is killed.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use nix::unistd::{getpid, getsid};
use rustix::process::{Pid, Signal, WaitOptions, waitpid};

use crate::process_table::{self, Process};
use crate::registry::RunRegistry;
use crate::signal;

/// After this, remaining processes are in an uninterruptible system call, and a signal does not help.
const LIMIT: Duration = Duration::from_secs(10);

const INTERVAL: Duration = Duration::from_millis(5);

/// Kills every orphan of this process with its descendants. Blocks until none is left.
///
/// The daemon is a subreaper, so the processes of a supervisor that is killed become its children.
/// They are told from its other children by their session: a supervisor calls `setsid`, so that
/// nothing below it is ever in the daemon's own session.
///
/// # Errors
/// The process table cannot be read, or some cannot be killed.
pub(crate) fn kill_orphans(registry: &RunRegistry) -> io::Result<()> {
    let deadline = Instant::now() + LIMIT;
    while Instant::now() < deadline {
        let (orphans, descendants) = find(registry)?;
        if orphans.is_empty() {
            return Ok(());
        }
        for process in &descendants {
            signal::send(process, Signal::KILL)?;
        }
        for orphan in orphans {
            if let Some(pid) = Pid::from_raw(orphan.pid) {
                // One that has not ended yet is found again in the next round.
                let _ignored = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
        thread::sleep(INTERVAL);
    }
    Err(io::Error::other("some processes cannot be killed"))
}

/// The orphans among this process's children, and the orphans with all their descendants.
fn find(registry: &RunRegistry) -> io::Result<(Vec<Process>, Vec<Process>)> {
    let own = getpid();
    let session = getsid(None).map_or(own, |session| session).as_raw();
    // The table is read while the supervisors are known: one that starts in between would be an
    // unknown child in a session of its own.
    let (table, orphans) = registry.with_supervisors(|supervisors| -> io::Result<_> {
        let table = process_table::all()?;
        let is_orphan = |process: &&Process| {
            process.parent == own.as_raw()
                && process.session != session
                && !supervisors.contains(&process.pid)
        };
        let orphans: Vec<Process> = table.iter().filter(is_orphan).copied().collect();
        Ok((table, orphans))
    })?;
    let mut all = orphans.clone();
    for orphan in &orphans {
        all.extend(process_table::descendants(&table, orphan.pid));
    }
    Ok((orphans, all))
}
