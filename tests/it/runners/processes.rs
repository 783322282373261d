//! The processes of the agents, found by the home that they were started with.

use std::fs;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use crate::under_test::PATIENCE;

/// The processes whose environment has this `HOME`. One that has ended has no environment.
pub(super) fn of(home: &Path) -> Vec<Pid> {
    let wanted = format!("HOME={}\0", home.display());
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let has = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&wanted)
    };
    pids.filter(has).filter_map(Pid::from_raw).collect()
}

pub(super) fn signal(home: &Path, signal: Signal) {
    for pid in of(home) {
        // One may have ended meanwhile.
        let _gone = kill_process(pid, signal);
    }
}

/// Waits until no process is left, and returns how long that took.
pub(super) fn wait_until_gone(home: &Path) -> Duration {
    let begun = Instant::now();
    while let Some(&pid) = of(home).first() {
        let left = PATIENCE.saturating_sub(begun.elapsed());
        assert!(!left.is_zero(), "process {pid:?} is left");
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        let mut fds = [PollFd::from_borrowed_fd(handle.as_fd(), PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::try_from(left).unwrap())).unwrap();
    }
    begun.elapsed()
}
