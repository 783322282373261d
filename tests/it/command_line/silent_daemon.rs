//! Commands against a daemon that does not respond.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use scorel_testkit::DaemonUnderTest;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::UnixListener;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELD, scorelctl};

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn suspend(daemon: &DaemonUnderTest) {
    let pid = Pid::from_raw(daemon.pid().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
}

/// A process that holds the lock of the home and obeys no signal that can be ignored.
async fn stubborn_holder(daemon: &DaemonUnderTest) -> Child {
    fs::create_dir_all(daemon.home()).unwrap();
    fs::set_permissions(daemon.home(), Permissions::from_mode(0o700)).unwrap();
    let script = "trap '' INT TERM; exec 9>\"$1\"; flock 9; echo held; read -r _";
    let mut holder = Command::new("bash")
        .args(["-c", script, "holder"])
        .arg(daemon.home().join("scoreld.lock"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    let held = timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap();
    assert_eq!(held.as_deref(), Some("held"));
    holder
}

#[tokio::test]
async fn stop_ends_a_suspended_daemon_and_time_limits_hold_before() {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    suspend(&daemon);
    for arguments in [
        &["send", "--timeout", "0.1", "hello"][..],
        &["wait", "--timeout", "0.1"],
    ] {
        let output = scorelctl(&daemon, arguments, &[]).await;
        assert_eq!(output.status.code(), Some(8), "{output:?}");
        assert!(said(&output).contains("has not answered"), "{output:?}");
    }
    let output = scorelctl(&daemon, &["stop"], &[]).await;
    assert!(output.status.success(), "{output:?}");
    assert!(said(&output).contains("does not respond"), "{output:?}");
    assert!(!said(&output).contains("killed"), "{output:?}");
    assert_eq!(daemon.wait().await.code(), Some(0));
}

#[tokio::test]
async fn stop_kills_a_daemon_that_obeys_no_signal() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let mut holder = stubborn_holder(&daemon).await;
    let _silent = UnixListener::bind(daemon.socket()).unwrap();
    let output = scorelctl(&daemon, &["stop"], &[]).await;
    assert!(output.status.success(), "{output:?}");
    assert!(said(&output).contains("and is killed"), "{output:?}");
    let ended = timeout(PATIENCE, holder.wait()).await.unwrap().unwrap();
    assert_eq!(ended.signal(), Some(9));
}

#[tokio::test]
async fn restart_replaces_a_suspended_daemon() {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    let before = daemon.pid();
    suspend(&daemon);
    let output = scorelctl(&daemon, &["--json", "restart"], &[]).await;
    assert!(output.status.success(), "{output:?}");
    let restarted: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(restarted["previous"]["pid"], before, "{restarted}");
    assert_ne!(restarted["pid"], before, "{restarted}");
    daemon.wait().await;
    let output = scorelctl(&daemon, &["stop"], &[]).await;
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn restart_starts_no_daemon_that_it_may_not_start() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let output = scorelctl(&daemon, &["--no-start", "restart"], &[]).await;
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert!(!daemon.socket().exists());
}

#[tokio::test]
async fn a_daemon_that_is_ending_just_then_is_replaced_or_has_ended() {
    let daemon = DaemonUnderTest::new(SCORELD);
    for round in 0..8 {
        let output = scorelctl(&daemon, &["--json", "restart"], &[]).await;
        assert!(output.status.success(), "{round}: {output:?}");
        let started: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let pid = i32::try_from(started["pid"].as_i64().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM).unwrap();
    }
    let output = scorelctl(&daemon, &["stop"], &[]).await;
    assert!(output.status.success(), "{output:?}");
}
