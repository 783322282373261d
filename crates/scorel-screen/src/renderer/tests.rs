use scorel_proto::{Event, EventId, InFlight, SyncMarker};
use serde_json::{Value, json};

use super::*;

const SESSION: &str = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";

fn layout(markup: Markup) -> Layout {
    Layout {
        markup,
        result_lines: 3,
        ..Layout::new(40, crate::TimeZone::UTC)
    }
}

/// An event with the fields that all have.
pub(super) fn event(mut value: Value) -> Event {
    value["seq"] = json!(1);
    value["sessionId"] = json!(SESSION);
    value["clientId"] = json!("daemon");
    value["ts"] = json!(1);
    Event::decode(&value.to_string()).expect("an event")
}

fn snapshot(value: &Value) -> InFlight {
    let mut value = value.clone();
    value["sessionId"] = json!(SESSION);
    match serde_json::from_value(value).expect("a marker") {
        SyncMarker::InFlight { in_flight, .. } => in_flight,
        other => panic!("{other:?}"),
    }
}

fn lines(events: &[Value], markup: Markup) -> Vec<String> {
    let mut renderer = Renderer::new(layout(markup));
    let mut lines = Vec::new();
    for value in events {
        match value["type"] == "in_flight" {
            true => renderer.in_flight(&snapshot(value), &mut lines),
            false => renderer.event(&event(value.clone()), &mut lines),
        }
    }
    renderer.flush(&mut lines);
    lines.iter().map(Line::text).collect()
}

fn shown(events: &[Value]) -> String {
    let lines = lines(events, Markup::Source).into_iter();
    lines.map(|line| format!("{line}\n")).collect()
}

fn rendered(events: &[Value]) -> Vec<String> {
    lines(events, Markup::Rendered)
}

pub(super) fn delta(id: EventId, kind: &str, block: u32, text: &str) -> Value {
    json!({"type": kind, "eventId": id, "blockIndex": block, "delta": text})
}

pub(super) fn answer(id: EventId, content: &Value) -> Value {
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

pub(super) fn called(id: EventId, call: &str, name: &str, input: &Value) -> Value {
    answer(
        id,
        &json!([{"type": "tool_use", "id": call, "name": name, "input": input}]),
    )
}

pub(super) fn result(id: EventId, call: &str, name: &str, text: &str, details: &Value) -> Value {
    let block = json!({"type": "tool_result", "toolUseId": call, "isError": details.is_null(),
        "content": [{"type": "text", "text": text}], "details": details});
    json!({"type": "message", "id": id, "parentId": null, "message": {
        "role": "tool_result", "toolName": name, "durationMs": 12_300, "content": [block]}})
}

pub(super) fn user(text: &str) -> Value {
    json!({"type": "message", "id": EventId::generate(), "parentId": null, "message": {
        "role": "user", "content": [{"type": "text", "text": text}]}})
}

#[test]
fn a_turn_reads_like_a_conversation() {
    let change = json!({"linesAdded": 1, "linesRemoved": 1, "diff": "@@ -1 +1 @@\n-a\n+b\n"});
    let parts = json!([
        {"type": "thinking", "text": "hm"},
        {"type": "text", "text": "It **stops** early.\n\n- a\n- b"},
    ]);
    let lines = rendered(&[
        user("Why?\nSay."),
        answer(EventId::generate(), &parts),
        called(
            EventId::generate(),
            "c1",
            "Edit",
            &json!({"path": "src/parse.rs"}),
        ),
        result(EventId::generate(), "c1", "Edit", "changed", &change),
        called(
            EventId::generate(),
            "c2",
            "Bash",
            &json!({"command": "cargo test"}),
        ),
        result(
            EventId::generate(),
            "c2",
            "Bash",
            "ok\nok\nok\nok",
            &json!({"ok": true}),
        ),
        result(
            EventId::generate(),
            "c3",
            "Read",
            "no such file",
            &Value::Null,
        ),
    ]);
    assert_eq!(
        lines,
        [
            "❯ Why?",
            "  Say.",
            "",
            "~ hm",
            "",
            "It stops early.",
            "",
            "• a",
            "• b",
            "",
            "✓ Edit src/parse.rs  +1 −1",
            "     1 - a",
            "     1 + b",
            "✓ Bash cargo test  12 s",
            "    ok",
            "    ok",
            "    ok",
            "    … 1 more line",
            "✗ Read  failed",
            "    no such file",
        ]
    );
}

#[test]
fn a_tool_that_runs_is_in_the_tail_and_its_row_comes_once() {
    let id = EventId::generate();
    let mut renderer = Renderer::new(layout(Markup::Rendered));
    let mut out = Vec::new();
    let start = json!({"type": "tool_execution_start", "eventId": id, "parentId": null,
        "toolCallId": "c1", "toolName": "Bash", "args": {"command": "make"}});
    let update = json!({"type": "tool_execution_update", "eventId": id, "toolCallId": "c1",
        "partial": {"text": "1\n2\n3\n4\n", "lines": 44}});
    for value in [start, update] {
        renderer.event(&event(value), &mut out);
    }
    renderer.tick(12_001);
    let tail: Vec<String> = renderer.tail(8).iter().map(Line::text).collect();
    assert_eq!(
        tail,
        [
            "⋯ Bash make  12 s",
            "    2",
            "    3",
            "    4",
            "    … 41 lines before"
        ]
    );
    assert!(out.is_empty() && renderer.has_open());
    renderer.event(&event(result(id, "c1", "Bash", "", &json!({}))), &mut out);
    assert_eq!(out.len(), 1);
    assert!(!renderer.has_open());
}

#[test]
fn a_rewind_is_a_rule() {
    let lines = rendered(&[
        json!({"type": "rewind", "id": EventId::generate(), "parentId": null,
        "targetEventId": null}),
    ]);
    assert_eq!(lines, ["── went back to the beginning ──────────"]);
}

#[test]
fn todos_are_a_row() {
    let items = json!({"items": [{"content": "read", "status": "completed"},
        {"content": "test", "status": "in_progress"}, {"content": "tell", "status": "pending"}]});
    let mut renderer = Renderer::new(layout(Markup::Rendered));
    let mut out = Vec::new();
    let record = result(EventId::generate(), "c", "Todo", "kept", &items);
    renderer.event(&event(record), &mut out);
    assert_eq!(
        renderer.todos().expect("a row").text(),
        "┄ todo 1/3: ▸ test · tell"
    );
    assert_eq!(out[0].text(), "✓ Todo  1/3");
}
