//! What commands read from standard input, and what they do with empty arguments.

use std::fs::File;
use std::io::Write as _;
use std::process::Stdio;

use scorel_testkit::Deadline;

use crate::answers::{daemon, turn};
use crate::program::{Ended, Running, TestHome};

#[test]
fn a_dash_after_the_text_adds_standard_input() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.after_send(&turn("completed"));
    std::fs::write(place.work().join("a.txt"), "a").expect("a usable directory");
    let ended = place.run_with(&["send", "review", "this", "-"], "+1\n@a.txt\n");
    ended.assert_code(0);
    let sent = &daemon.calls("sendMessage")[0];
    assert_eq!(sent["content"][0]["text"], "review this\n\n+1\n@a.txt\n");
    assert!(sent.get("attachments").is_none(), "{sent}");
}

#[test]
fn a_pipe_that_is_not_read_is_told_and_not_waited_for() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    for (data, is_told) in [("+1\n", true), ("", false)] {
        daemon.after_send(&turn("completed"));
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(data.as_bytes()).expect("written");
        let mut command = place.command(&["send", "review"]);
        command.stdin(reader);
        let ended = Running::start(&mut command).wait();
        ended.assert_code(0);
        assert_eq!(ended.err.contains("was not read"), is_told, "{}", ended.err);
        drop(writer);
    }
    assert_eq!(
        daemon.calls("sendMessage")[0]["content"][0]["text"],
        "review"
    );
}

#[test]
fn an_empty_session_is_an_error_of_usage() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    for arguments in [
        &["delete", "--session", "", "--yes", "--now"][..],
        &["send", "--session", "", "hello"],
        &["graph", ""],
    ] {
        let ended = place.run(arguments);
        ended.assert_code(2);
        assert!(ended.err.contains("it is empty"), "{}", ended.err);
    }
    assert!(daemon.methods().is_empty(), "{:?}", daemon.methods());
}

#[test]
fn an_output_that_cannot_be_written_is_reported() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    for arguments in [&["sessions"][..], &["sessions", "--json"]] {
        let full = File::options()
            .write(true)
            .open("/dev/full")
            .expect("Linux");
        let mut command = place.command(arguments);
        command.stdout(full).stderr(Stdio::piped());
        let child = command.spawn().expect("it runs");
        let _deadline = Deadline::of(&child);
        let ended = Ended::new(child.wait_with_output().expect("it ends"));
        ended.assert_code(1);
        assert!(
            ended
                .err
                .contains("cannot write to standard output: No space left"),
            "{}",
            ended.err
        );
    }
}
