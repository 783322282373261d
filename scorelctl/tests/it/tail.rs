use std::process::Command;

use serde_json::{Value, json};

use crate::answers::{
    OTHER_TURN, SESSION, TURN, daemon, delta, end, outcome, session, start, turn, user,
};
use crate::program::{Ended, Running, TestHome};

fn event_types(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .map(|line| line["type"].as_str().expect("a type"))
        .collect()
}

/// The program follows from event 4 on, and the session has 7 of them.
fn from_four() -> (TestHome, crate::daemon::Daemon) {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let before = json!({"events": [user(3, 2, TURN, None)], "more": true});
    daemon.answer("getEvents", before);
    daemon.answer("getSession", json!({"session": session(7, 7)}));
    (place, daemon)
}

#[test]
fn a_place_in_the_past_becomes_both_anchors() {
    let (place, daemon) = from_four();
    let mut items = vec![start("stream_resume")];
    items.extend(turn("completed").split_off(1));
    items.push(end(7));
    daemon.prelude(&items);
    let ended = place.run(&["tail", "--from-seq", "4", "--no-follow", "--json"]);
    ended.assert_code(0);
    let seqs: Vec<Value> = ended
        .lines()
        .iter()
        .map(|line| line["seq"].clone())
        .collect();
    assert_eq!(seqs, [4, 5, 6, 7]);
    let asked = &daemon.calls("getEvents")[0];
    assert_eq!(
        (&asked["beforeSeq"], &asked["limit"]),
        (&json!(4), &json!(1))
    );
    let subscribed = &daemon.calls("subscribeEvents")[0];
    assert_eq!(subscribed["persistentLastSeq"], 3);
    assert_eq!(subscribed["streamLastSeq"], 3);
}

#[test]
fn a_place_in_the_future_is_waited_for() {
    let (place, daemon) = from_four();
    daemon.answer("getSession", json!({"session": session(3, 3)}));
    daemon.prelude(&[start("stream_resume"), end(3)]);
    let arguments = ["tail", "--from-seq", "6", "--json"];
    let mut running = Running::start(&mut place.command(&arguments));
    let subscribed = daemon.wait_for("subscribeEvents", 1);
    assert_eq!(
        subscribed["streamLastSeq"], 3,
        "no number that was not given out"
    );
    daemon.publish(&turn("completed").split_off(1));
    let line: Value = serde_json::from_str(&running.line()).expect("JSON");
    assert_eq!(line["seq"], 6);
    running.interrupt();
    running.wait().assert_code(0);
}

#[test]
fn what_is_not_kept_is_replaced_by_a_sync_line() {
    let (place, daemon) = from_four();
    let queue = json!({"items": [], "version": 0, "paused": false});
    let in_flight = json!({
        "phase": "idle", "messages": [], "tools": [], "queue": queue, "permissions": [],
    });
    let session = start("x")["sessionId"].clone();
    daemon.prelude(&[
        start("persistent_fallback"),
        turn("completed")[2].clone(),
        json!({"type": "in_flight", "sessionId": session, "inFlight": in_flight}),
        end(5),
    ]);
    let ended = place.run(&["tail", "--from-seq", "4", "--no-follow", "--json"]);
    ended.assert_code(0);
    let lines = ended.lines();
    assert_eq!(event_types(&lines), ["message", "sync"]);
    assert_eq!(lines[1]["mode"], "persistent_fallback");
    assert_eq!(lines[1]["throughSeq"], 5);
    assert_eq!(lines[1]["inFlight"]["phase"], "idle");
}

#[test]
fn without_a_place_the_last_turn_is_shown() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let events: Vec<Value> = turn("completed")
        .into_iter()
        .filter(|event| event.get("prev").is_some())
        .collect();
    daemon.answer("getEvents", json!({"events": events, "more": false}));
    daemon.answer("getSession", json!({"session": session(7, 7)}));
    let ended = place.run(&["tail", "--no-follow"]);
    ended.assert_code(0);
    let asked = daemon.calls("getEvents");
    assert_eq!(asked[0]["beforeSeq"], 8);
    assert_eq!(asked[1]["beforeSeq"], 3, "the turn begins there");
}

#[test]
fn people_see_a_conversation() {
    let (place, daemon) = from_four();
    let mut items = vec![start("stream_resume")];
    items.extend(turn("error").split_off(1));
    items.push(end(7));
    daemon.prelude(&items);
    let ended = place.run(&["tail", "--from-seq", "4", "--no-follow"]);
    ended.assert_code(0);
    assert!(ended.out.contains("It is a test.\n"), "{}", ended.out);
    assert!(ended.out.contains("the key is wrong"), "{}", ended.out);
}

const GO_ON: &str = "TEXT` goes on from here";

#[test]
fn after_a_last_turn_that_was_interrupted_it_says_how_to_go_on() {
    let (place, daemon) = from_four();
    let mut items = vec![start("stream_resume")];
    items.extend(turn("interrupted").split_off(1));
    let arguments = ["tail", "--from-seq", "4", "--no-follow"];
    daemon.prelude(&[items.as_slice(), &[end(7)]].concat());
    let ended = place.run(&arguments);
    ended.assert_code(0);
    assert_eq!(ended.err.matches(GO_ON).count(), 1, "{}", ended.err);
    let json = place.run(&["--json", "tail", "--from-seq", "4", "--no-follow"]);
    assert_eq!(json.err, "");
    // The session has gone on: nothing has to be said about an earlier turn.
    items.push(user(8, 7, OTHER_TURN, None));
    items.push(end(8));
    daemon.prelude(&items);
    assert_eq!(place.run(&arguments).err, "");
}

#[test]
fn a_turn_that_is_interrupted_while_it_is_followed_is_explained_too() {
    let (place, daemon) = from_four();
    daemon.prelude(&[start("stream_resume"), end(3)]);
    let running = Running::start(&mut place.command(&["tail", "--from-seq", "4"]));
    daemon.wait_for("subscribeEvents", 1);
    let mut items = turn("interrupted").split_off(1);
    let session = start("x")["sessionId"].clone();
    items.push(json!({"type": "end", "sessionId": session, "reason": "deleted"}));
    daemon.publish(&items);
    let ended = running.wait();
    assert_eq!(ended.err.matches(GO_ON).count(), 1, "{}", ended.err);
}

/// Follows until the daemon is gone, with a program in the place of the daemon that only says that it
/// was run.
fn tail_after_the_daemon(options: &[&str]) -> Ended {
    let (place, daemon) = from_four();
    let program = place.work().join("scoreld");
    let script =
        "printf '#!/bin/sh\\necho started again >&2; exit 70' > \"$0\" && chmod 700 \"$0\"";
    let written = Command::new("sh")
        .args(["-c", script])
        .arg(&program)
        .status();
    assert!(written.expect("sh runs").success());
    daemon.prelude(&[start("stream_resume"), end(3)]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_scorelctl"));
    command
        .args(["tail", "--from-seq", "4"])
        .args(options)
        .env_clear()
        .env("SCOREL_HOME", place.home())
        .env("SCORELD", &program)
        .current_dir(place.work());
    let running = Running::start(&mut command);
    daemon.wait_for("subscribeEvents", 1);
    std::fs::remove_file(place.home().join("scoreld.sock")).expect("a socket");
    daemon.hang_up_all();
    if options.is_empty() {
        // It comes back by itself, as a service does.
        let daemon = crate::answers::daemon(&place);
        daemon.answer("getSession", json!({"session": session(7, 7)}));
        let gone = json!({"type": "end", "sessionId": SESSION, "reason": "deleted"});
        daemon.prelude(&[start("stream_resume"), gone]);
    }
    running.wait()
}

#[test]
fn only_when_told_it_starts_a_daemon_that_has_ended() {
    let waited = tail_after_the_daemon(&[]);
    waited.assert_code(0);
    assert!(!waited.err.contains("started again"), "{}", waited.err);
    let started = tail_after_the_daemon(&["--start"]);
    started.assert_code(7);
    assert!(started.err.contains("started again"), "{}", started.err);
}

#[test]
fn a_lost_connection_goes_on_without_loss_or_repetition() {
    let (place, daemon) = from_four();
    let record = turn("completed")[2].clone();
    let first = [
        start("stream_resume"),
        delta(4, TURN, "Let"),
        record,
        end(5),
    ];
    daemon.prelude(&first);
    let arguments = ["tail", "--from-seq", "4", "--json"];
    let mut running = Running::start(&mut place.command(&arguments));
    for expected in [4, 5] {
        let line: Value = serde_json::from_str(&running.line()).expect("JSON");
        assert_eq!(line["seq"], expected);
    }
    // The daemon has lost its memory of what it streamed, and starts over.
    let mut items = vec![
        start("full_reload"),
        user(1, 0, TURN, None),
        user(2, 1, TURN, None),
    ];
    items.extend(
        turn("completed")
            .into_iter()
            .filter(|event| event.get("prev").is_some()),
    );
    items.push(end(9));
    daemon.prelude(&items);
    daemon.hang_up();
    let mut seqs = Vec::new();
    loop {
        let line: Value = serde_json::from_str(&running.line()).expect("JSON");
        if line["type"] == "sync" {
            break;
        }
        seqs.push(line["seq"].clone());
    }
    assert_eq!(seqs, [6, 7]);
    daemon.publish(&[outcome(10, 7, TURN, "completed")]);
    let last: Value = serde_json::from_str(&running.line()).expect("JSON");
    assert_eq!(last["seq"], 10);
    running.interrupt();
    running.wait().assert_code(0);
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_program_quietly() {
    let (place, daemon) = from_four();
    daemon.prelude(&[start("stream_resume"), delta(4, TURN, "Let"), end(4)]);
    let arguments = ["tail", "--from-seq", "4", "--json"];
    let mut running = Running::start(&mut place.command(&arguments));
    running.line();
    running.stop_reading();
    // A program that another test is starting may hold the pipe for a moment, so one line may still
    // be written without a complaint.
    for seq in 5.. {
        if running.child.try_wait().expect("a child").is_some() {
            break;
        }
        daemon.publish(&[delta(seq, TURN, "more")]);
        std::thread::yield_now();
    }
    let ended = running.wait();
    ended.assert_code(0);
    assert_eq!(ended.err, "");
}

#[test]
fn a_deleted_session_ends_the_tail() {
    let (place, daemon) = from_four();
    let session = start("x")["sessionId"].clone();
    daemon.prelude(&[json!({"type": "end", "sessionId": session, "reason": "deleted"})]);
    let ended = place.run(&["tail", "--from-seq", "4"]);
    ended.assert_code(0);
    assert!(ended.err.contains("deleted"), "{}", ended.err);
}
