//! What the daemon of the tests knows: one project with one session, and the events of a turn.

use serde_json::{Value, json};

use crate::daemon::Daemon;
use crate::program::TestHome;

pub(crate) const SESSION: &str = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";
pub(crate) const TURN: &str = "trn_01ARZ3NDEKTSV4RRFFQ69G5FAV";
pub(crate) const OTHER_TURN: &str = "trn_01ARZ3NDEKTSV4RRFFQ69G5FAW";
pub(crate) const ITEM: &str = "que_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const PROJECT: &str = "prj_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// A daemon with a project for the working directory and a session with two records.
pub(crate) fn daemon(place: &TestHome) -> Daemon {
    let daemon = Daemon::start(place);
    let work = place.work();
    let project = json!({
        "projectId": PROJECT, "displayName": "work", "workDir": work, "createdAt": 1, "updatedAt": 1,
    });
    daemon.answer("listProjects", json!({"projects": [project]}));
    daemon.answer("registerProject", json!({"project": project}));
    daemon.answer("listSessions", json!({"sessions": [session(2, 2)]}));
    daemon.answer("getSession", json!({"session": session(2, 2)}));
    let created = json!({"sessionId": SESSION, "session": session(2, 2)});
    daemon.answer("createSession", created);
    daemon.answer("getStatus", json!({
        "version": "0.1.0", "protocol": {"min": 1, "max": 1},
        "deviceId": "dev_01ARZ3NDEKTSV4RRFFQ69G5FAV", "displayName": "box", "pid": 1, "home": "/h",
        "startedAt": 1, "connections": 1, "loadedSessions": 0, "active": [],
        "defaultModel": "demo/demo", "draining": false,
    }));
    daemon.answer(
        "sendMessage",
        json!({
            "status": "accepted", "userEventId": event_id(3), "turnId": TURN, "seq": 3,
        }),
    );
    daemon.prelude(&[start("stream_resume"), end(2)]);
    daemon
}

pub(crate) fn session(persistent: u64, current: u64) -> Value {
    json!({
        "sessionId": SESSION, "projectId": PROJECT, "kind": "user", "title": "a \u{1b}[31mtitle",
        "model": null, "thinkingLevel": "default", "phase": "idle", "activeLeafId": null,
        "currentSeq": current, "lastPersistentSeq": persistent, "queue": [], "queueVersion": 0,
        "queuePaused": false, "usage": {"inputTokens": 0, "outputTokens": 0}, "createdAt": 1,
        "updatedAt": 1, "archived": false,
    })
}

pub(crate) fn start(mode: &str) -> Value {
    json!({"type": "sync_start", "sessionId": SESSION, "mode": mode})
}

pub(crate) fn end(through: u64) -> Value {
    json!({"type": "sync_end", "sessionId": SESSION, "throughSeq": through})
}

/// The id of the record with this number.
fn event_id(seq: u64) -> String {
    format!("evt_01ARZ3NDEKTSV4RRFFQ69G{seq:04}")
}

fn record(seq: u64, prev: u64, turn: &str, body: Value) -> Value {
    let mut event = body;
    event["id"] = json!(event_id(seq));
    event["parentId"] = Value::Null;
    event["seq"] = json!(seq);
    event["sessionId"] = json!(SESSION);
    event["clientId"] = json!("daemon");
    event["ts"] = json!(1);
    event["turnId"] = json!(turn);
    event["prev"] = json!(prev);
    event["crc"] = json!("00000000");
    event
}

pub(crate) fn user(seq: u64, prev: u64, turn: &str, item: Option<&str>) -> Value {
    let content = json!([{"type": "text", "text": "the question"}]);
    let mut body = json!({"type": "message", "message": {"role": "user", "content": content}});
    if let Some(item) = item {
        body["queueItemId"] = json!(item);
    }
    record(seq, prev, turn, body)
}

pub(crate) fn assistant(seq: u64, prev: u64, turn: &str, text: &str) -> Value {
    let content = json!([
        {"type": "thinking", "text": "secret thoughts"},
        {"type": "text", "text": text},
    ]);
    let message = json!({
        "role": "assistant", "content": content, "model": "demo", "stopReason": "end_turn",
    });
    record(
        seq,
        prev,
        turn,
        json!({"type": "message", "message": message}),
    )
}

pub(crate) fn delta(seq: u64, turn: &str, text: &str) -> Value {
    json!({
        "type": "text_delta", "eventId": event_id(9), "blockIndex": 1, "delta": text, "seq": seq,
        "sessionId": SESSION, "clientId": "daemon", "ts": 1, "turnId": turn,
    })
}

pub(crate) fn outcome(seq: u64, prev: u64, turn: &str, reason: &str) -> Value {
    let mut body = json!({
        "type": "turn_outcome", "reason": reason, "steps": 1, "durationMs": 5,
        "usage": {"inputTokens": 1, "outputTokens": 1},
    });
    if reason == "error" {
        body["error"] = json!({"code": "auth", "message": "the key is wrong", "retryable": false});
    }
    record(seq, prev, turn, body)
}

/// A question about a command.
pub(crate) fn question(seq: u64, prev: u64, number: u64, command: &str) -> Value {
    let body = json!({
        "type": "permission_request", "requestId": request_id(number), "toolCallId": "call",
        "toolName": "Bash", "input": {"command": command}, "reason": "no rule allows it",
        "rules": [format!("Bash({command})")],
    });
    record(seq, prev, TURN, body)
}

pub(crate) fn request_id(number: u64) -> String {
    format!("prm_01ARZ3NDEKTSV4RRFFQ69G{number:04}")
}

/// The answer of another client.
pub(crate) fn decision(seq: u64, prev: u64, number: u64, decision: &str) -> Value {
    let body = json!({
        "type": "permission_decision", "requestId": request_id(number), "decision": decision,
    });
    let mut record = record(seq, prev, TURN, body);
    record["clientId"] = json!(OTHER_CLIENT);
    record
}

pub(crate) const OTHER_CLIENT: &str = "cli_01ARZ3NDEKTSV4RRFFQ69G5FAX";

/// A whole turn with two answers, of which the second is the last.
pub(crate) fn turn(reason: &str) -> Vec<Value> {
    vec![
        user(3, 2, TURN, None),
        delta(4, TURN, "Let"),
        assistant(5, 3, TURN, "Let me look."),
        assistant(6, 5, TURN, "It is a test."),
        outcome(7, 6, TURN, reason),
    ]
}
