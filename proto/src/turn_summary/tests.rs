use serde_json::{Value, json};

use super::{TurnStatus, TurnSummary};
use crate::{Event, TurnId};

/// Events of a turn, from the fields that differ.
fn events(turn: TurnId, bodies: &[Value]) -> Vec<Event> {
    let event = |(index, body): (usize, &Value)| {
        let mut event = body.clone();
        let seq = index as u64 + 1;
        event["id"] = json!(format!("evt_01K1H9Q80000000000000000{seq:02}"));
        event["parentId"] = json!(null);
        event["seq"] = json!(seq);
        event["sessionId"] = json!("ses_01K1H9Q8000000000000000001");
        event["clientId"] = json!("daemon");
        event["ts"] = json!(seq * 10);
        event["turnId"] = json!(turn);
        let event = Event::decode(&event.to_string()).expect("every field is there");
        assert!(!matches!(event, Event::Unknown(_)), "{event:?}");
        event
    };
    bodies.iter().enumerate().map(event).collect()
}

fn start(turn: TurnId) -> Value {
    json!({
        "type": "runner_start", "runner": "codex", "traceId": turn, "command": ["codex"],
        "cwd": "/p", "context": "new",
    })
}

fn answer(content: &Value) -> Value {
    json!({"type": "message", "message": {
        "role": "assistant", "content": content, "model": "m", "stopReason": "end_turn",
    }})
}

fn text(text: &str) -> Value {
    answer(&json!([{"type": "text", "text": text}]))
}

fn outcome(reason: &str, error: Option<&str>) -> Value {
    let mut body = json!({
        "type": "turn_outcome", "reason": reason, "steps": 1, "durationMs": 1,
        "usage": {"inputTokens": 1, "outputTokens": 1},
    });
    if let Some(message) = error {
        body["error"] = json!({"code": "runner_failed", "message": message, "retryable": true});
    }
    body
}

/// The summary of a turn, from the events of its session in order.
fn summary_of<'a>(turn: TurnId, events: impl IntoIterator<Item = &'a Event>) -> TurnSummary {
    let mut summary = TurnSummary::new(turn);
    for event in events {
        summary.apply(event);
    }
    summary
}

#[test]
fn a_turn_of_a_runner_is_one_message() {
    let turn = TurnId::generate();
    let question = json!({"type": "message", "message": {
        "role": "user", "content": [{"type": "text", "text": "q"}],
    }});
    let context = |id: Value| {
        json!({
            "type": "runner_context", "runner": "codex", "contextId": id, "cwd": "/p",
        })
    };
    let log = |text: &str| json!({"type": "runner_log", "stream": "stderr", "text": text});
    let call = json!([{"type": "tool_use", "id": "c", "name": "shell", "input": {}}]);
    let hash = "0".repeat(64);
    let exit = json!({
        "type": "runner_exit", "traceId": turn, "code": 0, "signal": null, "kept": false,
        "durationMs": 5, "log": {"blob": hash, "bytes": 3, "droppedBytes": 0},
    });
    let bodies = [
        question,
        start(turn),
        context(json!("c1")),
        log("a\n"),
        text("I will look."),
        log("b"),
        text("Done."),
        answer(&call),
        exit,
        outcome("completed", None),
    ];
    let events = events(turn, &bodies);
    let until = |count: usize| summary_of(turn, &events[..count]);

    let asked = until(1);
    assert_eq!(
        (asked.status, asked.runner.as_str()),
        (TurnStatus::Running, "scorel")
    );
    assert_eq!(asked.started_at, Some(10));
    let begun = until(3);
    assert_eq!(
        (begun.runner.as_str(), begun.context_id.as_deref()),
        ("codex", Some("c1"))
    );
    assert_eq!(until(5).output.as_deref(), Some("I will look."));
    let whole = until(10);
    assert_eq!(whole.status, TurnStatus::Success);
    assert_eq!(whole.output.as_deref(), Some("Done."));
    assert_eq!(whole.logs.text(), "a\nb");
    assert_eq!(whole.log.map(|log| log.bytes), Some(3));
    assert_eq!(whole.error_message, None);
}

#[test]
fn a_turn_that_did_not_complete_says_why() {
    let turn = TurnId::generate();
    for (reason, error, expected) in [
        (
            "error",
            Some("codex ended with code 1"),
            "codex ended with code 1",
        ),
        ("cancelled", None, "cancelled"),
        ("limit", None, "the turn reached a limit"),
    ] {
        let events = events(turn, &[start(turn), outcome(reason, error), text("late")]);
        let summary = summary_of(turn, &events);
        assert_eq!(summary.status, TurnStatus::Error, "{reason}");
        assert_eq!(summary.error_message.as_deref(), Some(expected));
        assert_eq!(
            summary.output, None,
            "what follows the outcome is no part of the turn"
        );
    }
}

#[test]
fn events_of_other_turns_change_nothing() {
    let turn = TurnId::generate();
    let other = TurnId::generate();
    let events = events(
        other,
        &[start(other), text("a"), outcome("completed", None)],
    );
    assert_eq!(summary_of(turn, &events), TurnSummary::new(turn));
}
