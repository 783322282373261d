//! Faults of a log, or of the sightings of it, are found.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;

use scorel_testkit::{CheckedLog, LogFault, SightingFault, Sightings, sealed};
use tempfile::TempDir;

const SESSION: &str = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const TURN: &str = "trn_01ARZ3NDEKTSV4RRFFQ69G5FAV";

fn event_id(seq: u64) -> String {
    format!("evt_01ARZ3NDEKTSV4RRFFQ69G5F{seq:02}")
}

fn record(seq: u64, prev: u64, body: &str) -> String {
    sealed(&format!(
        "{{\"id\":\"{}\",\"parentId\":null,\"seq\":{seq},\"sessionId\":\"{SESSION}\",\
         \"clientId\":\"daemon\",\"ts\":1,\"turnId\":\"{TURN}\",{body},\"prev\":{prev}}}",
        event_id(seq)
    ))
}

fn says(role: &str, content: &str) -> String {
    format!("\"type\":\"message\",\"message\":{{\"role\":\"{role}\",\"content\":[{content}]}}")
}

fn user(seq: u64, prev: u64) -> String {
    record(
        seq,
        prev,
        &says("user", "{\"type\":\"text\",\"text\":\"hello\"}"),
    )
}

fn answer(seq: u64, prev: u64, text: &str) -> String {
    let content = format!("{{\"type\":\"text\",\"text\":\"{text}\"}}");
    let body =
        says("assistant", &content).replace("]}", "],\"model\":\"m\",\"stopReason\":\"end_turn\"}");
    record(seq, prev, &body)
}

fn asks(seq: u64, prev: u64) -> String {
    let content = "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"Glob\",\"input\":{}}";
    let body =
        says("assistant", content).replace("]}", "],\"model\":\"m\",\"stopReason\":\"tool_use\"}");
    record(seq, prev, &body)
}

fn outcome(seq: u64, prev: u64) -> String {
    let usage = "\"inputTokens\":0,\"outputTokens\":0,\"cacheReadTokens\":0,\"cacheWriteTokens\":0";
    record(
        seq,
        prev,
        &format!(
            "\"type\":\"turn_outcome\",\"reason\":\"completed\",\"usage\":{{{usage}}},\
             \"steps\":1,\"durationMs\":1"
        ),
    )
}

fn written(records: &[String]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("events.jsonl");
    let header = sealed(&format!(
        "{{\"type\":\"session\",\"format\":1,\"sessionId\":\"{SESSION}\"}}"
    ));
    std::fs::write(&path, header + &records.concat()).unwrap();
    (dir, path)
}

fn check(records: &[String]) -> Result<CheckedLog, LogFault> {
    let (_dir, path) = written(records);
    CheckedLog::read(&path)
}

#[test]
fn a_correct_log_has_no_fault() {
    let log = check(&[user(1, 0), answer(5, 1, "yes"), outcome(9, 5)]).unwrap();
    assert_eq!((log.records().len(), log.last_seq(), log.torn()), (3, 9, 0));
    assert_eq!(log.outcomes().collect::<Vec<_>>(), [(TURN, "completed")]);
    let log = check(&[user(1, 0), "{\"id\":".to_owned()]).unwrap();
    assert_eq!(log.torn(), 6);
}

#[test]
fn each_fault_of_a_log_is_found() {
    let flipped = user(1, 0).replace("hello", "jello");
    let other = user(1, 0);
    let rows = [
        ("a flipped bit", vec![flipped]),
        ("no checksum", vec!["{\"seq\":1}\n".to_owned()]),
        ("a wrong prev", vec![user(1, 0), outcome(9, 5)]),
        ("a number twice", vec![user(5, 0), outcome(5, 5)]),
        ("a record twice", vec![other.clone(), other]),
        (
            "two outcomes",
            vec![user(1, 0), outcome(2, 1), outcome(3, 2)],
        ),
        (
            "a call without a result",
            vec![user(1, 0), asks(2, 1), outcome(3, 2)],
        ),
        (
            "an unknown type",
            vec![record(1, 0, "\"type\":\"nonsense\"")],
        ),
    ];
    for (name, records) in rows {
        assert!(check(&records).is_err(), "{name}");
    }
}

#[test]
fn an_event_that_was_seen_and_is_not_in_the_log_is_found() {
    let (_dir, path) = written(&[user(1, 0), answer(5, 1, "yes and no")]);
    let log = CheckedLog::read(&path).unwrap();
    let mut seen = Sightings::default();
    seen.note(log.records()[0].line.as_str()).unwrap();
    let delta = |seq: u64, text: &str| {
        let id = event_id(5);
        format!(
            "{{\"seq\":{seq},\"type\":\"text_delta\",\"eventId\":\"{id}\",\"blockIndex\":0,\"delta\":\"{text}\"}}"
        )
    };
    seen.note(&delta(3, "yes and")).unwrap();
    seen.check(&log).unwrap();
    seen.check_text(&log).unwrap();
    assert!(matches!(
        seen.note(&delta(3, "other")),
        Err(SightingFault::TwoEvents { seq: 3, .. })
    ));
    seen.note(&delta(4, " more")).unwrap();
    assert!(matches!(
        seen.check_text(&log),
        Err(SightingFault::TextLost { .. })
    ));
    seen.note(&delta(5, "x")).unwrap();
    assert!(matches!(
        seen.check(&log),
        Err(SightingFault::TwoEvents { seq: 5, .. })
    ));
    let mut seen = Sightings::default();
    seen.note(outcome(9, 5).trim_end()).unwrap();
    assert!(matches!(
        seen.check(&log),
        Err(SightingFault::Lost { seq: 9, .. })
    ));
}
