//! Another version of the daemon than this program's.

use std::process::Command;

use serde_json::{Value, json};

use crate::answers::{SESSION, TURN, daemon, turn, user};
use crate::daemon::Daemon;
use crate::program::TestHome;

/// A daemon of an older version, in whose program's place there is one that says `installed`.
fn upgraded(place: &TestHome, installed: &str) -> Daemon {
    let daemon = daemon(place);
    let mut hello = daemon.answered("hello");
    hello["version"] = json!("0.0.9");
    daemon.answer("hello", hello);
    let program = place.home().join("scoreld");
    // By a process of its own: one that another test starts meanwhile would hold the file open for
    // writing for a moment, and a file that is can not be run.
    let script = r#"printf '#!/bin/sh\necho %s\n' "'$1'" > "$0" && chmod 700 "$0""#;
    let mut shell = Command::new("sh");
    let written = shell.args(["-c", script]).arg(&program).arg(installed);
    assert!(written.status().expect("sh runs").success());
    let mut status = daemon.answered("getStatus");
    status["executable"] = json!({"path": program, "version": "0.0.9", "changed": true});
    daemon.answer("getStatus", status);
    daemon.after_send(&turn("completed"));
    with_history(&daemon);
    daemon
}

/// What `tail` asks for.
fn with_history(daemon: &Daemon) {
    let events = json!({"events": [user(2, 1, TURN, None)], "more": false});
    daemon.answer("getEvents", events);
}

const NOTICE: &str = "scoreld 0.3.0 is installed, 0.0.9 runs: `scorelctl restart`\n";

#[test]
fn an_upgrade_is_told_by_the_commands_that_use_the_daemon() {
    let place = TestHome::new();
    let _daemon = upgraded(&place, "scoreld 0.3.0");
    for arguments in [
        &["send", "hello"][..],
        &["tail", "--no-follow", "--session", SESSION],
        &["status"],
    ] {
        let ended = place.run(arguments);
        ended.assert_code(0);
        assert!(ended.err.contains(NOTICE), "{arguments:?}: {}", ended.err);
    }
    let ended = place.run(&["--json", "status"]);
    assert_eq!(ended.err, "", "programs read `executable`");
    assert_eq!(ended.lines()[0]["executable"]["changed"], true);
}

#[test]
fn a_daemon_of_the_same_version_is_not_asked() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    with_history(&daemon);
    let ended = place.run(&["tail", "--no-follow", "--session", SESSION]);
    ended.assert_code(0);
    assert!(daemon.calls("getStatus").is_empty());
}

#[test]
fn a_daemon_from_before_parking_is_shut_down_as_it_can_be() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.refuse("shutdown", -32602, "invalid_params");
    let ended = place.run(&["restart"]);
    ended.assert_code(3);
    assert!(ended.err.contains("too old to park"), "{}", ended.err);
    let asked: Vec<Value> = daemon.calls("shutdown");
    assert_eq!(asked, [json!({"park": true}), json!({})]);
}
