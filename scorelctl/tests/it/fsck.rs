//! Checking a home, with a program in the place of the daemon's.

use std::path::PathBuf;
use std::process::Command;

use scorel_testkit::Deadline;

use crate::program::TestHome;

/// A program that says how it was called and ends with 1.
fn stand_in(place: &TestHome) -> PathBuf {
    let path = place.work().join("stand-in");
    let text = "#!/bin/sh\necho \"$@\"\necho talk >&2\nexit 1\n";
    // By a process of its own: one that another test starts meanwhile would hold the file open for
    // writing for a moment, and a file that is can not be run.
    let script = "printf %s \"$1\" > \"$0\" && chmod 700 \"$0\"";
    let mut shell = Command::new("sh");
    let written = shell.args(["-c", script]).arg(&path).arg(text).status();
    assert!(written.expect("sh runs").success());
    path
}

#[test]
fn the_daemons_program_checks_and_its_words_and_exit_code_are_passed_on() {
    let place = TestHome::new();
    let program = stand_in(&place);
    let home = place.home().display().to_string();
    let cases = [
        (vec!["fsck"], format!("fsck --home {home}\n")),
        (
            vec!["fsck", "--repair", "--json", "--session", "ses_01"],
            format!("fsck --home {home} --repair --json -- ses_01\n"),
        ),
    ];
    for (arguments, expected) in cases {
        let mut command = place.command(&arguments);
        command.env("SCORELD", &program);
        let output = Deadline::output(&mut command).expect("it runs");
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert_eq!(output.stderr, b"talk\n");
    }
}

#[test]
fn a_check_that_cannot_take_place_says_why() {
    let place = TestHome::new();
    let mut command = place.command(&["fsck"]);
    command.env("SCORELD", "/nowhere/scoreld");
    let output = Deadline::output(&mut command).expect("it runs");
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("cannot run /nowhere/scoreld"), "{text}");
    assert!(text.contains("SCORELD"), "{text}");
}
