use serde_json::{Value, json};

use crate::answers::{SESSION, daemon};
use crate::program::TestHome;

fn error(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).expect("one JSON object");
    value["error"].clone()
}

#[test]
fn without_a_daemon_the_hint_says_what_would_start_one() {
    let place = TestHome::new();
    let ended = place.run(&["status"]);
    ended.assert_code(7);
    assert!(
        ended.err.contains("error: no daemon listens on"),
        "{}",
        ended.err
    );
    assert!(
        ended.err.contains("hint: `scorelctl send`"),
        "{}",
        ended.err
    );
    let ended = place.run(&["status", "--json"]);
    ended.assert_code(7);
    assert_eq!(error(&ended.err)["code"], "unreachable");
    assert_eq!(error(&ended.err)["exitCode"], 7);
}

#[test]
fn mistakes_in_the_command_line_are_errors_of_usage() {
    let place = TestHome::new();
    place.run(&["dance"]).assert_code(2);
    place.run_with(&["send"], " \n").assert_code(2);
    place.run(&["call", "getStatus", "{"]).assert_code(2);
    let ended = place.run(&["--json", "dance"]);
    ended.assert_code(2);
    assert_eq!(error(&ended.err)["code"], "usage");
    let ended = place.run(&["--json", "sessions", "--archive"]);
    let error = error(&ended.err);
    assert_eq!(error["message"], "unexpected argument '--archive' found");
    assert_eq!(error["hint"], "a similar argument exists: '--archived'");
}

#[test]
fn help_and_version_are_results() {
    let place = TestHome::new();
    let help = place.run(&["--help"]);
    help.assert_code(0);
    assert!(help.out.contains("scorelctl help COMMAND"), "{}", help.out);
    for arguments in [&["exit-codes"][..], &["help", "exit-codes"]] {
        let page = place.run(arguments);
        page.assert_code(0);
        assert!(page.out.contains("130  Interrupted"), "{}", page.out);
    }
    let described = place.run(&["commands"]);
    assert!(
        described.out.contains("  send         Send a message"),
        "{}",
        described.out
    );
    place.run(&["--version"]).assert_code(0);
    place.run(&["help", "send"]).assert_code(0);
}

#[test]
fn a_prefix_names_a_session_and_a_typo_is_pointed_out() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer("cancel", json!({"cancelled": true}));
    let ended = place.run(&["cancel", "--session", "01arz3", "--clear-queue"]);
    ended.assert_code(0);
    assert_eq!(ended.out, "cancelled\n");
    assert_eq!(daemon.calls("cancel")[0]["sessionId"], SESSION);
    assert_eq!(daemon.calls("cancel")[0]["clearQueue"], true);
    let ended = place.run(&["cancel", "--session", "01ARZ4ND"]);
    ended.assert_code(3);
    assert!(ended.err.contains("did you mean ses_"), "{}", ended.err);
    let listings = daemon.calls("listSessions").len();
    daemon.answer("cancel", json!({"cancelled": false}));
    let ended = place.run(&["cancel", "--session", SESSION]);
    ended.assert_code(0);
    assert_eq!(ended.out, "no turn is running\n");
    assert_eq!(
        daemon.calls("listSessions").len(),
        listings,
        "a whole id needs none"
    );
}

#[test]
fn a_daemon_of_another_version_is_named_with_the_command_that_helps() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.refuse("hello", 1010, "protocol_mismatch");
    daemon.answer(
        "getStatus",
        json!({"version": "9.0", "protocol": {"min": 8, "max": 9}}),
    );
    let ended = place.run(&["sessions"]);
    ended.assert_code(7);
    assert!(
        ended.err.contains("(9.0) speaks protocol 8 to 9"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("hint: "), "{}", ended.err);
}

#[test]
fn any_method_can_be_called() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer(
        "getTree",
        json!({"nodes": [], "more": false, "activeLeafId": null}),
    );
    let ended = place.run(&["call", "getTree", r#"{"sessionId":"x"}"#]);
    ended.assert_code(0);
    assert_eq!(
        ended.out,
        "{\"nodes\":[],\"more\":false,\"activeLeafId\":null}\n"
    );
    assert_eq!(daemon.calls("getTree")[0]["sessionId"], "x");
    let ended = place.run_with(&["call", "getTree", "-"], "{\"a\":1}\n");
    ended.assert_code(0);
    let ended = place.run(&["call", "getTea", "--json"]);
    ended.assert_code(3);
    assert_eq!(error(&ended.err)["code"], "method_not_found");
}

#[test]
fn listings_are_for_people_or_for_programs() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    let people = place.run(&["sessions"]);
    people.assert_code(0);
    assert!(
        people.out.starts_with(&SESSION[SESSION.len() - 6..]),
        "{}",
        people.out
    );
    assert!(people.out.contains("a ⟨1b⟩[31mtitle"), "{}", people.out);
    let programs = place.run(&["sessions", "--json"]);
    assert_eq!(
        programs.lines()[0]["sessions"][0]["title"],
        "a \u{1b}[31mtitle"
    );
    let projects = place.run(&["projects"]);
    assert!(projects.out.contains("  work  "), "{}", projects.out);
    let status = place.run(&["status"]);
    assert!(status.out.contains("demo/demo"), "{}", status.out);
}

#[test]
fn the_conversation_is_shown_without_other_branches() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let turn = crate::answers::turn("error");
    let node = |index: usize, parent: Value| {
        let event = &turn[index];
        json!({"id": event["id"], "parentId": parent, "seq": event["seq"], "turnEnd": false})
    };
    let nodes = [
        node(0, Value::Null),
        node(2, turn[0]["id"].clone()),
        node(3, turn[0]["id"].clone()),
    ];
    let leaf = turn[3]["id"].clone();
    daemon.answer(
        "getTree",
        json!({"nodes": nodes, "more": false, "activeLeafId": leaf}),
    );
    let records: Vec<&Value> = turn
        .iter()
        .filter(|event| event.get("prev").is_some())
        .collect();
    daemon.answer("getEvents", json!({"events": records, "more": false}));
    let ended = place.run(&["show"]);
    ended.assert_code(0);
    let expected =
        "> the question\n~ secret thoughts\nIt is a test.\n! the turn failed: the key is wrong\n";
    assert_eq!(ended.out, expected);
}

#[test]
fn a_connection_that_ends_before_the_handshake_is_made_again() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    for _ in 0..8 {
        daemon.drop_next("hello");
    }
    place.run(&["status"]).assert_code(0);
    // More than there is time for.
    for _ in 0..10_000 {
        daemon.drop_next("hello");
    }
    let ended = place.run(&["status"]);
    ended.assert_code(7);
    assert!(ended.err.contains("was lost"), "{}", ended.err);
}
