//! `show` at a terminal: pages, styles, and terminals that know neither.

use std::process::Command;

use nix::sys::signal::Signal;
use scorel_testkit::{Deadline, Terminal};
use serde_json::json;

use crate::answers::{daemon, turn};
use crate::daemon::Daemon;
use crate::program::TestHome;

/// A daemon whose session has one turn.
fn with_turn(place: &TestHome) -> Daemon {
    let daemon = daemon(place);
    let turn = turn("completed");
    let leaf = turn[3]["id"].clone();
    let nodes = [0, 2, 3].map(|index: usize| {
        let event = &turn[index];
        json!({"id": event["id"], "parentId": null, "seq": event["seq"], "turnEnd": index == 3})
    });
    let mut nodes = nodes.to_vec();
    nodes[1]["parentId"] = turn[0]["id"].clone();
    nodes[2]["parentId"] = turn[2]["id"].clone();
    daemon.answer(
        "getTree",
        json!({"nodes": nodes, "more": false, "activeLeafId": leaf}),
    );
    let records = turn.iter().filter(|event| event.get("prev").is_some());
    let records: Vec<_> = records.collect();
    daemon.answer("getEvents", json!({"events": records, "more": false}));
    daemon
}

/// A pager that says what it gets, between marks.
fn pager(place: &TestHome, code: &str) -> String {
    let path = place.work().join("my pager");
    // By a process of its own: one that another test starts meanwhile would hold the file open for
    // writing for a moment, and a file that is can not be run.
    let script = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#;
    let mut shell = Command::new("sh");
    let written = shell.args(["-c", script]).arg(&path).arg(code).status();
    assert!(written.expect("sh runs").success());
    format!("'{}'", path.display())
}

fn show(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = place.command(&[&["show"], arguments].concat());
    command.envs(variables.iter().copied());
    command
}

#[test]
fn a_terminal_gets_pages_and_nothing_else_does() {
    let place = TestHome::new();
    let _daemon = with_turn(&place);
    let pager = pager(&place, "echo \"[[$LESS\"; cat; echo ]]");
    let variables = [("PAGER", &*pager), ("TERM", "xterm")];
    let Some(terminal) = Terminal::start(&show(&place, &[], &variables)) else {
        return;
    };
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.starts_with("[[FRX\r\n") && shown.ends_with("]]\r\n"),
        "{shown}"
    );
    assert!(shown.contains("\u{1b}[1m> the question"), "{shown}");
    for (arguments, variables) in [
        (&["--no-pager"][..], &variables[..]),
        (&["--json"], &variables),
        (&[], &[("PAGER", ""), ("TERM", "xterm")]),
        (&[], &[("PAGER", "cat"), ("TERM", "xterm")]),
        (&[], &[("PAGER", &*pager), ("TERM", "dumb")]),
        (&[], &[("PAGER", "/nonexistent -R"), ("TERM", "xterm")]),
        (&[], &[("PAGER", "/"), ("TERM", "xterm")]),
    ] {
        let terminal = Terminal::start(&show(&place, arguments, variables)).expect("a terminal");
        let (code, shown) = terminal.ended();
        assert_eq!(code, Some(0), "{arguments:?}: {shown}");
        assert!(
            shown.contains("the question") && !shown.contains("[["),
            "{arguments:?}: {shown}"
        );
    }
    let mut piped = show(&place, &[], &variables);
    let output = Deadline::output(&mut piped).expect("it runs");
    assert!(
        !String::from_utf8_lossy(&output.stdout).contains("[["),
        "{output:?}"
    );
}

#[test]
fn no_escape_sequence_goes_to_a_terminal_that_knows_none_or_to_a_user_who_wants_none() {
    let place = TestHome::new();
    let _daemon = with_turn(&place);
    for variables in [
        [("TERM", "dumb"), ("A", "")],
        [("TERM", "xterm"), ("NO_COLOR", "1")],
    ] {
        for line in [
            &["show", "--no-pager"][..],
            &["sessions"],
            &["status"],
            &["--help"],
            &["sned"],
        ] {
            let mut command = place.command(line);
            command.envs(variables);
            let Some(terminal) = Terminal::start(&command) else {
                return;
            };
            let (_, shown) = terminal.ended();
            assert!(
                !shown.is_empty() && !shown.contains('\u{1b}'),
                "{line:?}: {shown:?}"
            );
        }
    }
}

#[test]
fn ctrl_c_is_the_pagers_and_leaving_it_early_is_no_failure() {
    let place = TestHome::new();
    let _daemon = with_turn(&place);
    let waits = pager(
        &place,
        "trap 'echo interrupted' INT; read line; echo \"[[$line\"; read key < /dev/tty",
    );
    let variables = [("PAGER", &*waits), ("TERM", "xterm")];
    let Some(mut terminal) = Terminal::start(&show(&place, &[], &variables)) else {
        return;
    };
    terminal.until("[[");
    terminal.signal(Signal::SIGINT);
    terminal.types("q\n");
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(0), "{shown}");
}
