//! A signal that ends the program while ssh still connects.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::ssh_server::SshServer;
use crate::under_test::{PATIENCE, output_of};

async fn until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "not in time");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_signal_while_ssh_connects_ends_ssh_too() {
    let Some(server) = SshServer::bare() else {
        return;
    };
    server.knows_all();
    // Longer than the test waits.
    server.use_ssh("-o ConnectTimeout=3600");
    for (signal, exit, verb) in [
        (Signal::INT, 130, &["sessions"][..]),
        (Signal::TERM, 130, &["sessions"]),
        (Signal::HUP, 130, &["show"]),
        (Signal::INT, 130, &["status"]),
        // Ctrl-C is its own end.
        (Signal::INT, 0, &["tail"]),
        (Signal::TERM, 130, &["tail"]),
        (Signal::INT, 130, &["send", "hello"]),
        (Signal::TERM, 130, &["send", "hello"]),
        (Signal::INT, 130, &["attach", "--plain"]),
        (Signal::TERM, 130, &["acp"]),
    ] {
        let before = server.children().len();
        let mut command = server.scorelctl(&[&["--remote", "mute"], verb].concat());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        // Its end is not a signal.
        let input = child.stdin.take();
        until(|| server.children().len() > before).await;
        let pid = child.id().unwrap().try_into().unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
        let output = output_of(child).await;
        drop(input);
        assert_eq!(output.status.code(), Some(exit), "{verb:?}: {output:?}");
        let ssh = Pid::from_raw(server.children()[before]).unwrap();
        until(|| test_kill_process(ssh).is_err()).await;
    }
}
