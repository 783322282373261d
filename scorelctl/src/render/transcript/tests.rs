use scorel_proto::{Event, EventId, SyncMarker};
use serde_json::{Value, json};

use super::*;
use crate::render::AsideStream;

const SESSION: &str = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";

fn shown(events: &[Value]) -> String {
    let (mut output, captured) = Output::captured(false);
    let mut transcript = Transcript::new(Screen::new(AsideStream::Output, 3), true);
    for value in events {
        let mut value = value.clone();
        value["seq"] = json!(1);
        value["sessionId"] = json!(SESSION);
        value["clientId"] = json!("daemon");
        value["ts"] = json!(1);
        if value["type"] == "in_flight" {
            let marker = serde_json::from_value(value).expect("a marker");
            let SyncMarker::InFlight { in_flight, .. } = marker else {
                panic!("{marker:?}")
            };
            transcript
                .in_flight(&in_flight, &mut output)
                .expect("written");
            continue;
        }
        let event = Event::decode(&value.to_string()).expect("an event");
        transcript.event(&event, &mut output).expect("written");
    }
    captured.out.text()
}

fn delta(id: EventId, kind: &str, block: u32, text: &str) -> Value {
    json!({"type": kind, "eventId": id, "blockIndex": block, "delta": text})
}

fn answer(id: EventId, content: &Value) -> Value {
    json!({
        "type": "message", "id": id, "parentId": null,
        "message": {"role": "assistant", "content": content, "model": "m", "stopReason": "end_turn"},
    })
}

#[test]
fn what_streamed_in_is_not_shown_again() {
    let id = EventId::generate();
    let content = json!([
        {"type": "thinking", "text": "let me see"},
        {"type": "text", "text": "The answer is 4."},
        {"type": "tool_use", "id": "c", "name": "Read", "input": {"path": "x"}},
    ]);
    let text = shown(&[
        delta(id, "thinking_delta", 0, "let me "),
        delta(id, "thinking_delta", 0, "see"),
        delta(id, "text_delta", 1, "The answer "),
        answer(id, &content),
    ]);
    assert_eq!(
        text,
        "~ let me see\nThe answer is 4.\n* Read {\"path\":\"x\"}\n"
    );
}

#[test]
fn a_message_that_did_not_stream_is_shown_whole() {
    let content = json!([{"type": "text", "text": "All of it."}]);
    assert_eq!(
        shown(&[answer(EventId::generate(), &content)]),
        "All of it.\n"
    );
}

#[test]
fn a_reload_in_mid_message_adds_only_what_is_new() {
    let id = EventId::generate();
    let queue = json!({"items": [], "version": 0, "paused": false});
    let in_flight = json!({
        "type": "in_flight",
        "inFlight": {
            "phase": "running", "tools": [], "queue": queue, "permissions": [],
            "messages": [{
                "eventId": id, "parentId": null, "role": "assistant",
                "blocks": [{"type": "text", "text": "one two three"}],
            }],
        },
    });
    let content = json!([{"type": "text", "text": "one two three four"}]);
    let text = shown(&[
        delta(id, "text_delta", 0, "one "),
        in_flight,
        delta(id, "text_delta", 0, " four"),
        answer(id, &content),
    ]);
    assert_eq!(text, "one two three four\n");
}

#[test]
fn a_finished_message_that_differs_is_shown_again_whole() {
    let id = EventId::generate();
    let content = json!([{"type": "text", "text": "something else"}]);
    let text = shown(&[delta(id, "text_delta", 0, "one "), answer(id, &content)]);
    assert_eq!(text, "one \nsomething else\n");
}

#[test]
fn a_discarded_answer_is_marked() {
    let id = EventId::generate();
    let cancelled = json!({"type": "message_cancelled", "eventId": id, "reason": "error"});
    let text = shown(&[delta(id, "text_delta", 0, "I thi"), cancelled]);
    assert_eq!(text, "I thi\n- the answer above was discarded\n");
}

#[test]
fn an_event_of_the_future_is_mentioned() {
    let event = json!({"type": "hologram", "id": EventId::generate(), "prev": 0});
    assert_eq!(shown(&[event]), "- event of unknown type hologram\n");
}

#[test]
fn retries_and_waits_are_shown_with_what_failed_and_until_when() {
    let retry = |attempt: u32| {
        json!({"attempt": attempt, "until": 1_785_585_600_000_u64, "error": {
            "code": "network", "message": "cannot reach 127.0.0.1:1: refused", "retryable": true,
            "hint": "is the server running?"}})
    };
    let event = |attempt| {
        let mut event = retry(attempt);
        event["type"] = json!("model_retry");
        event
    };
    let snapshot = json!({"type": "in_flight", "inFlight": {"phase": "running", "messages": [],
        "tools": [], "retry": retry(2), "queue": {"version": 0, "items": [], "paused": false},
        "permissions": []}});
    let waiting = json!({"type": "turn_waiting", "id": EventId::generate(), "parentId": null,
        "until": 1_785_585_600_000_u64, "reason": "api.example.com says: slow down", "attempt": 3});
    let text = shown(&[event(1), event(2), snapshot, waiting]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    for (line, begin, end) in [
        (
            0,
            "attempt 1 failed: cannot reach 127.0.0.1:1: refused; trying again at ",
            ":00",
        ),
        (1, "hint: is the server running?", ""),
        (
            2,
            "attempt 2 failed: cannot reach 127.0.0.1:1: refused; trying again at ",
            ":00",
        ),
        (
            3,
            "waiting until ",
            " (wait 3 of the turn; `scorelctl end-wait` ends it): api.example.com says: slow down",
        ),
    ] {
        assert!(
            lines[line].contains(begin) && lines[line].ends_with(end),
            "{text}"
        );
    }
}

#[test]
fn a_runner_is_announced_and_its_notices_are_shown() {
    let log =
        |stream: &str, text: &str| json!({"type": "runner_log", "stream": stream, "text": text});
    let text = shown(&[
        json!({
            "type": "runner_start", "id": EventId::generate(), "parentId": null, "runner": "codex",
            "traceId": "trn_01ARZ3NDEKTSV4RRFFQ69G5FAV", "command": ["codex"], "cwd": "/p",
            "context": "new",
        }),
        log("stderr", "noise\n"),
        log("notice", "an update is available\n"),
    ]);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "- runner codex started (new context)",
            "- an update is available"
        ]
    );
}
