//! Finding processes by a unique number in their command line.

use std::fs;
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// After this, no process may be left. Waits end as soon as none is, so it is long: machines are busy.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A number unique to the test, used as the seconds of a long `sleep`.
pub(crate) fn canary() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("9{:08}{n:05}", std::process::id())
}

/// Processes with `canary` in their command line.
pub(crate) fn with(canary: &str) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &i32| has(*pid, canary)).collect()
}

/// Waits until there is a process with `canary`, at most `limit`. One that starts another program has no
/// command line for a moment.
pub(crate) fn appear(canary: &str, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    loop {
        if !with(canary).is_empty() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
    }
}

/// Zombies have no command line.
fn has(pid: i32, canary: &str) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).contains(canary)
}

/// True if a process exists that has not ended. One that is being waited for is dead (`X`) for a moment.
pub(crate) fn exists(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ")
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// The children of a process that were started with `argument`.
pub(crate) fn children(parent: u32, argument: &str) -> Vec<i32> {
    let of_parent = |pid: &i32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.contains(&format!("PPid:\t{parent}\n"))
    };
    with(argument).into_iter().filter(of_parent).collect()
}

/// True if the process is the first of a pid namespace of its own.
pub(crate) fn is_init(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    ids.is_some_and(|ids| ids.split_whitespace().skip(1).last() == Some("1"))
}

/// Processes with `canary` that are left after `limit`.
pub(crate) fn left_after(canary: &str, limit: Duration) -> Vec<i32> {
    let deadline = Instant::now() + limit;
    loop {
        let left = with(canary);
        let Some(first) = left.first() else {
            return left;
        };
        let time = deadline.saturating_duration_since(Instant::now());
        if time.is_zero() {
            return left;
        }
        wait_for_end(*first, time);
    }
}

/// Waits until a process has ended, at most `limit`.
pub(crate) fn wait_for_end(pid: i32, limit: Duration) {
    let pid = Pid::from_raw(pid).unwrap();
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    let mut fds = [PollFd::from_borrowed_fd(handle.as_fd(), PollFlags::IN)];
    let limit = Timespec::try_from(limit).unwrap();
    // The end of any other child interrupts it.
    retry_on_intr(|| poll(&mut fds, Some(&limit))).unwrap();
}
