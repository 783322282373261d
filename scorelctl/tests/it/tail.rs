use serde_json::{Value, json};

use crate::answers::{TURN, daemon, delta, end, outcome, session, start, turn, user};
use crate::program::{Running, TestHome};

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
