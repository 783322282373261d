use std::fs;

use serde_json::{Value, json};

use crate::answers::{
    ITEM, OTHER_TURN, SESSION, TURN, assistant, daemon, delta, end, outcome, start, turn, user,
};
use crate::program::{Running, TestHome};

fn queued() -> Value {
    json!({
        "status": "queued", "queue": "followUp", "queueItemId": ITEM, "position": 0, "seq": 3,
    })
}

#[test]
fn in_a_pipe_only_the_last_answer_is_printed() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.after_send(&turn("completed"));
    let ended = place.run(&["send", "what", "is", "this?"]);
    ended.assert_code(0);
    assert_eq!(ended.out, "It is a test.\n");
    assert!(ended.err.contains("demo model"), "{}", ended.err);
    assert!(ended.err.contains("config.toml"), "{}", ended.err);
    assert_eq!(
        ended.err.lines().count(),
        1,
        "quiet otherwise: {}",
        ended.err
    );
    assert_eq!(
        daemon.calls("sendMessage")[0]["content"][0]["text"],
        "what is this?"
    );
}

#[test]
fn the_session_is_followed_before_the_message_is_sent() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.after_send(&turn("completed"));
    place.run(&["send", "x"]).assert_code(0);
    let methods = daemon.methods();
    let place_of = |name: &str| methods.iter().position(|method| method == name);
    assert!(
        place_of("registerProject") < place_of("listSessions"),
        "{methods:?}"
    );
    assert!(
        place_of("subscribeEvents") < place_of("sendMessage"),
        "{methods:?}"
    );
    let subscribed = &daemon.calls("subscribeEvents")[0];
    assert_eq!(subscribed["persistentLastSeq"], 2);
    assert_eq!(subscribed["streamLastSeq"], 2);
    assert!(place.home().join("client.json").exists());
}

#[test]
fn a_directory_without_a_session_gets_one() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer("listSessions", json!({"sessions": []}));
    daemon.after_send(&turn("completed"));
    place.run(&["send", "x"]).assert_code(0);
    assert_eq!(daemon.calls("createSession").len(), 1);
    assert_eq!(
        daemon.calls("registerProject")[0]["workDir"],
        place.work().to_str().expect("text")
    );
}

#[test]
fn programs_get_the_acceptance_and_every_event_as_it_is() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let events = turn("completed");
    daemon.after_send(&events);
    let ended = place.run(&["send", "--json", "x"]);
    ended.assert_code(0);
    let mut lines = ended.out.lines();
    let accepted: Value = serde_json::from_str(lines.next().expect("a line")).expect("JSON");
    assert_eq!(accepted["type"], "accepted");
    assert_eq!(accepted["sessionId"], SESSION);
    assert_eq!(accepted["turnId"], TURN);
    let verbatim: Vec<String> = events.iter().map(Value::to_string).collect();
    assert_eq!(lines.collect::<Vec<_>>(), verbatim);
    assert_eq!(ended.err, "");
}

#[test]
fn the_exit_code_tells_how_the_turn_ended() {
    for (reason, code, said) in [
        ("completed", 0, ""),
        ("error", 5, "the key is wrong"),
        ("limit", 5, "limit"),
        ("interrupted", 5, "interrupted"),
        ("cancelled", 6, "cancelled"),
    ] {
        let place = TestHome::new();
        let daemon = daemon(&place);
        daemon.after_send(&turn(reason));
        let ended = place.run(&["send", "x"]);
        ended.assert_code(code);
        assert!(ended.err.contains(said), "{reason}: {}", ended.err);
    }
}

#[test]
fn after_an_interrupted_turn_it_says_how_to_go_on() {
    for reason in ["interrupted", "cancelled", "completed"] {
        let place = TestHome::new();
        let daemon = daemon(&place);
        daemon.after_send(&turn(reason));
        let ended = place.run(&["send", "x"]);
        let hint = format!("hint: `scorelctl send --session {SESSION} TEXT` goes on from here\n");
        assert_eq!(
            ended.err.contains(&hint),
            reason == "interrupted",
            "{ended:?}"
        );
    }
}

#[test]
fn a_refused_message_is_not_accepted() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.refuse("sendMessage", 1004, "runtime_busy");
    let ended = place.run(&["send", "--while-running", "reject", "x"]);
    ended.assert_code(3);
    assert!(
        ended.err.contains("error: it is runtime_busy\nhint: "),
        "{}",
        ended.err
    );
    assert_eq!(daemon.calls("sendMessage")[0]["whileRunning"], "reject");
}

#[test]
fn a_queued_message_waits_for_its_own_turn() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer(
        "sendMessage",
        json!({
            "status": "queued", "queue": "followUp", "queueItemId": ITEM, "position": 0, "seq": 3,
        }),
    );
    daemon.after_send(&[
        assistant(4, 2, OTHER_TURN, "for another client"),
        outcome(5, 4, OTHER_TURN, "completed"),
        user(6, 5, TURN, Some(ITEM)),
        assistant(7, 6, TURN, "for you"),
        outcome(8, 7, TURN, "completed"),
    ]);
    let ended = place.run(&["send", "x"]);
    ended.assert_code(0);
    assert_eq!(ended.out, "for you\n");
}

#[test]
fn a_message_that_leaves_the_queue_has_no_turn_to_wait_for() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer(
        "sendMessage",
        json!({
            "status": "queued", "queue": "followUp", "queueItemId": ITEM, "position": 0, "seq": 3,
        }),
    );
    let mut update = outcome(4, 2, OTHER_TURN, "completed");
    update["type"] = json!("queue_update");
    update["version"] = json!(2);
    update["ops"] = json!([{"op": "remove", "queueItemId": ITEM}]);
    daemon.after_send(&[update]);
    place.run(&["send", "x"]).assert_code(6);
}

#[test]
fn a_message_whose_answer_was_lost_is_sent_again_under_the_same_name() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.drop_next("sendMessage");
    daemon.after_send(&turn("completed"));
    place.run(&["send", "x"]).assert_code(0);
    let calls = daemon.calls("sendMessage");
    assert_eq!(calls.len(), 2);
    assert!(calls[0]["commandId"].is_string());
    assert_eq!(calls[0], calls[1]);
}

#[test]
fn a_lost_connection_does_not_lose_the_answer() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.after_send(&turn("completed")[..2]);
    let mut running = Running::start(&mut place.command(&["send", "--json", "x"]));
    for expected in ["accepted", "message", "text_delta"] {
        let line: Value = serde_json::from_str(&running.line()).expect("JSON");
        assert_eq!(line["type"], expected);
    }
    let mut rest = vec![start("persistent_fallback")];
    rest.extend(turn("completed").split_off(2));
    rest.push(end(7));
    daemon.prelude(&rest);
    daemon.hang_up();
    let again = daemon.wait_for("subscribeEvents", 2);
    assert_eq!(
        (&again["persistentLastSeq"], &again["streamLastSeq"]),
        (&json!(3), &json!(4))
    );
    let ended = running.wait();
    ended.assert_code(0);
    let types: Vec<Value> = ended
        .lines()
        .iter()
        .map(|line| line["type"].clone())
        .collect();
    assert_eq!(types, ["message", "message", "turn_outcome"]);
}

#[test]
fn a_session_that_goes_away_leaves_the_outcome_unknown() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let gone = json!({"type": "end", "sessionId": SESSION, "reason": "deleted"});
    daemon.after_send(&[gone]);
    let ended = place.run(&["send", "x"]);
    ended.assert_code(4);
    assert!(
        ended.err.contains("the session was deleted"),
        "{}",
        ended.err
    );
}

#[test]
fn detaching_waits_for_nothing() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let ended = place.run(&["send", "--detach", "x"]);
    ended.assert_code(0);
    assert_eq!(ended.out, format!("{SESSION}\n"));
    assert!(daemon.calls("subscribeEvents").is_empty());
}

#[test]
fn an_interrupt_cancels_the_turn_and_waits_for_its_outcome() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer("cancel", json!({"cancelled": true}));
    daemon.after_send(&turn("completed")[..2]);
    let mut running = Running::start(&mut place.command(&["send", "--json", "x"]));
    for _ in 0..3 {
        running.line();
    }
    running.interrupt();
    let cancel = daemon.wait_for("cancel", 1);
    assert_eq!(cancel["expectedTurnId"], TURN);
    daemon.publish(&[outcome(5, 3, TURN, "cancelled")]);
    running.wait().assert_code(6);
}

#[test]
fn a_second_interrupt_leaves_the_turn_alone() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer("cancel", json!({"cancelled": true}));
    daemon.after_send(&turn("completed")[..2]);
    let mut running = Running::start(&mut place.command(&["send", "--json", "x"]));
    for _ in 0..3 {
        running.line();
    }
    running.interrupt();
    daemon.wait_for("cancel", 1);
    // Output after the first interrupt proves that the second is another one.
    daemon.publish(&[delta(5, TURN, "still going")]);
    running.line();
    running.interrupt();
    running.wait().assert_code(4);
}

#[test]
fn an_interrupt_before_the_acceptance_ends_the_program_at_once() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.hold("sendMessage");
    let running = Running::start(&mut place.command(&["send", "x"]));
    daemon.wait_for("sendMessage", 1);
    running.interrupt();
    running.wait().assert_code(130);
    assert!(daemon.calls("cancel").is_empty());
}

#[test]
fn an_interrupt_leaves_a_message_that_is_still_queued() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer("sendMessage", queued());
    let mut running = Running::start(&mut place.command(&["send", "--json", "x"]));
    daemon.wait_for("sendMessage", 1);
    running.line();
    running.interrupt();
    running.wait().assert_code(4);
    assert!(daemon.calls("cancel").is_empty());
}

#[test]
fn a_message_comes_from_standard_input_too() {
    for arguments in [&["send"][..], &["send", "-"][..]] {
        let place = TestHome::new();
        let daemon = daemon(&place);
        daemon.after_send(&turn("completed"));
        place.run_with(arguments, "from a pipe\n").assert_code(0);
        let sent = &daemon.calls("sendMessage")[0];
        assert_eq!(sent["content"][0]["text"], "from a pipe\n");
    }
}

#[test]
fn the_identity_stays_the_same() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    place.run(&["send", "--detach", "x"]).assert_code(0);
    let before = fs::read(place.home().join("client.json")).expect("a file");
    place.run(&["send", "--detach", "x"]).assert_code(0);
    let hellos = daemon.calls("hello");
    assert!(
        hellos
            .iter()
            .all(|hello| hello["clientId"] == hellos[0]["clientId"])
    );
    assert_eq!(
        fs::read(place.home().join("client.json")).expect("a file"),
        before
    );
}

#[test]
fn a_rate_limit_is_told_with_its_end() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let mut events = turn("error");
    let failed = events.last_mut().expect("an outcome");
    failed["error"]["resetsAt"] = json!(1_785_585_600_000_u64);
    daemon.after_send(&events);
    let ended = place.run(&["send", "x"]);
    ended.assert_code(5);
    assert!(
        ended.err.contains("the limit ends at 2026-08-01"),
        "{}",
        ended.err
    );
}
