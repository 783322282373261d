//! The processes of the agents, found by the home that they were started with.

use std::fs;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use crate::under_test::PATIENCE;

/// The processes whose environment has this `HOME`. One that has ended has no environment.
pub(super) fn of(home: &Path) -> Vec<Pid> {
    let all = environments(home).into_iter();
    all.filter_map(|(pid, _)| Pid::from_raw(pid)).collect()
}

/// The same with their environments, `NAME=value` each.
pub(super) fn environments(home: &Path) -> Vec<(i32, Vec<String>)> {
    let wanted = format!("HOME={}", home.display());
    let read = |pid: i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let text = String::from_utf8_lossy(&environment).into_owned();
        let variables: Vec<String> = text.split('\0').map(str::to_owned).collect();
        variables.contains(&wanted).then_some((pid, variables))
    };
    all().filter_map(read).collect()
}

/// The processes of the machine.
pub(super) fn all() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
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
        if let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) {
            has_ended_in(&handle, left);
        }
    }
    begun.elapsed()
}

/// A process that is running now, whichever gets its number later.
pub(super) struct RunningProcess(OwnedFd);

impl RunningProcess {
    pub(super) fn open(pid: i32) -> Self {
        let pid = Pid::from_raw(pid).unwrap();
        Self(pidfd_open(pid, PidfdFlags::empty()).unwrap())
    }

    pub(super) fn has_ended(&self) -> bool {
        has_ended_in(&self.0, Duration::ZERO)
    }

    pub(super) fn wait_for_end(&self) {
        assert!(has_ended_in(&self.0, PATIENCE), "it is left");
    }
}

fn has_ended_in(process: &OwnedFd, time: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN)];
    let time = Timespec::try_from(time).unwrap();
    // The end of any other child interrupts it.
    retry_on_intr(|| poll(&mut fds, Some(&time))).unwrap() > 0
}
