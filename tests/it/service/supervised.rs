//! What the manager does about a daemon that hangs.

use std::fs;
use std::time::Instant;

use super::container::Container;

#[test]
fn a_daemon_that_hangs_is_killed_and_comes_back_with_its_sessions() {
    let Some(container) = Container::boot() else {
        return;
    };
    container.scorelctl(&["service", "install"]);
    let drop_in = ".config/systemd/user/scoreld.service.d/watchdog.conf";
    fs::write(container.file(drop_in), "[Service]\nWatchdogSec=2\n").unwrap();
    container.systemctl(&["daemon-reload"]);
    let before = container.scorelctl(&["send", "Hello?"]);
    let pid = container.property("MainPID");
    let began = Instant::now();
    container.signal("-STOP", &pid);
    // Its connection ends when the daemon is killed, and is made again with the next one.
    let sessions = container.scorelctl(&["--json", "sessions", "--all"]);
    println!("a hanging daemon was replaced within {:?}", began.elapsed());
    assert_ne!(container.property("MainPID"), pid);
    assert_eq!(container.property("NRestarts"), "1");
    assert_eq!(sessions.matches("\"sessionId\"").count(), 1, "{sessions}");
    assert!(!before.is_empty());
}
