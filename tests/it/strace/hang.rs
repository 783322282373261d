//! A daemon whose runtime hangs: `strace` delays every call of its threads for an hour, but for those
//! of the watchdog and of the log.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use scorel_testkit::DaemonUnderTest;

use super::strace_works;
use crate::under_test::{SCORELD, logged, until};

const SPARED: [&str; 3] = ["turns", "watchdog", "log"];

/// The threads with their names, the first one first.
fn threads(daemon: &DaemonUnderTest) -> BTreeMap<u32, String> {
    let dir = PathBuf::from(format!("/proc/{}/task", daemon.pid()));
    let ids = fs::read_dir(&dir).unwrap();
    let ids = ids.map(|it| it.unwrap().file_name().into_string().unwrap());
    let named = ids.filter_map(|id| {
        // One may have ended meanwhile.
        let name = fs::read_to_string(dir.join(&id).join("comm")).ok()?;
        Some((id.parse().unwrap(), name.trim().to_owned()))
    });
    named.collect()
}

/// Returns whether the threads that are to be spared have their names, which they take after their start.
fn has_spared(daemon: &DaemonUnderTest) -> bool {
    let threads = threads(daemon);
    let mut spared = SPARED.iter();
    spared.all(|name| threads.values().any(|it| it == name))
}

fn hang(daemon: &DaemonUnderTest) -> Child {
    let mut strace = Command::new("strace");
    strace
        .args(["-qq", "-o", "/dev/null"])
        .args(["-e", "inject=all:delay_enter=3600000000"]);
    for (id, name) in threads(daemon).into_iter().rev() {
        if !SPARED.contains(&name.as_str()) {
            strace.arg("-p").arg(id.to_string());
        }
    }
    strace.stdin(Stdio::null()).spawn().unwrap()
}

/// Returns whether the first thread is traced, with which `strace` ends: it attaches to the others before.
fn is_traced(daemon: &DaemonUnderTest) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    !status.contains("TracerPid:\t0")
}

#[tokio::test]
async fn a_daemon_that_hangs_says_so_and_ends_with_and_without_a_signal() {
    if !strace_works() {
        return;
    }
    for is_told in [false, true] {
        // The intervals are half a second.
        let daemon = DaemonUnderTest::new(SCORELD);
        let mut daemon = daemon.with_variable("WATCHDOG_USEC", "3000000");
        daemon.spawn().await;
        until(|| has_spared(&daemon)).await;
        let mut strace = hang(&daemon);
        until(|| is_traced(&daemon)).await;
        if is_told {
            let pid = Pid::from_raw(daemon.pid().try_into().unwrap()).unwrap();
            kill_process(pid, Signal::TERM).unwrap();
        }
        until(|| logged(&daemon).contains("the runtime runs no task")).await;
        // The exit has begun, and `strace` holds the threads that it delays.
        until(|| !has_spared(&daemon)).await;
        strace.kill().unwrap();
        strace.wait().unwrap();
        assert_eq!(daemon.wait().await.code(), Some(75));
    }
}
