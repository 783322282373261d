//! Logs whose records do not fit each other.

use std::fs;

use scorel_proto::{CompactionId, EventId, TurnId};
use serde_json::{Value, json};

use crate::crafted::Crafted;
use crate::daemon::TestHome;

/// A turn with one tool call, as a daemon writes it.
struct Turn {
    id: TurnId,
    said: [EventId; 4],
}

impl Turn {
    fn new() -> Self {
        Self {
            id: TurnId::generate(),
            said: [(); 4].map(|()| EventId::generate()),
        }
    }

    fn events(&self, after: Option<EventId>) -> Vec<Value> {
        let [asked, called, answered, done] = self.said;
        let text = |text: &str| json!([{"type": "text", "text": text}]);
        let user = json!({"role": "user", "content": text("Look.")});
        let call = json!([{"type": "tool_use", "id": "c1", "name": "Glob", "input": {}}]);
        let calls =
            json!({"role": "assistant", "content": call, "model": "m", "stopReason": "tool_use"});
        let result = json!([{"type": "tool_result", "toolUseId": "c1", "content": text("x"), "isError": false}]);
        let result =
            json!({"role": "tool_result", "content": result, "toolName": "Glob", "durationMs": 1});
        let ends = json!({"role": "assistant", "content": text("Done."), "model": "m", "stopReason": "end_turn"});
        let message = |id: EventId, parent: Option<EventId>, message: &Value| json!({"type": "message", "id": id, "parentId": parent, "turnId": self.id, "message": message});
        let usage = json!({"inputTokens": 1, "outputTokens": 1});
        vec![
            message(asked, after, &user),
            message(called, Some(asked), &calls),
            json!({"type": "tool_started", "turnId": self.id, "toolCallId": "c1", "toolName": "Glob", "eventId": answered}),
            message(answered, Some(called), &result),
            message(done, Some(answered), &ends),
            json!({"type": "turn_outcome", "turnId": self.id, "reason": "completed", "usage": usage, "steps": 2, "durationMs": 5}),
        ]
    }
}

fn two_turns() -> Vec<Value> {
    let (first, second) = (Turn::new(), Turn::new());
    let mut events = first.events(None);
    events.extend(second.events(Some(first.said[3])));
    events
}

fn codes_without(events: &[Value], left_out: usize) -> (Vec<String>, Vec<String>) {
    let mut events = events.to_vec();
    events.remove(left_out);
    let said = Crafted::with(&events).fsck(&[]);
    let text = |codes: Vec<&str>| codes.into_iter().map(str::to_owned).collect();
    (text(said.codes()), text(said.notes()))
}

#[test]
fn a_conversation_that_fits_is_clean() {
    let said = Crafted::with(&two_turns()).fsck(&[]);
    assert!(said.findings.is_empty(), "{:?}", said.findings);
}

#[test]
fn dangling_references_are_reported() {
    let events = two_turns();
    let cases = [
        (0, vec!["missing_event"]),
        (1, vec!["missing_event", "result_without_call"]),
        (3, vec!["missing_event", "call_without_result"]),
        (5, vec!["turn_without_outcome"]),
    ];
    for (left_out, expected) in cases {
        assert_eq!(codes_without(&events, left_out).0, expected, "{left_out}");
    }
    let (codes, notes) = codes_without(&events, events.len() - 1);
    assert!(codes.is_empty(), "{codes:?}");
    assert_eq!(notes, ["open_turn"]);
}

#[test]
fn an_event_that_follows_itself_or_a_later_one_is_reported() {
    let [a, b] = [(); 2].map(|()| EventId::generate());
    let event = |id: EventId, parent: EventId| json!({"type": "session_info", "changes": {}, "id": id, "parentId": parent});
    let said = Crafted::with(&[event(a, a)]).fsck(&[]);
    assert_eq!(said.codes(), ["missing_event"]);
    let said = Crafted::with(&[event(a, b), event(b, a)]).fsck(&[]);
    assert_eq!(said.codes(), ["missing_event"]);
    let lost = EventId::generate();
    let targets = [
        json!({"type": "rewind", "targetEventId": lost}),
        json!({"type": "branch", "leafEventId": lost}),
        json!({"type": "compact", "summary": "", "compactedThrough": lost, "tokensBefore": 1, "tokensAfter": 1,
            "compactionId": CompactionId::generate(), "trigger": "manual", "model": "m"}),
    ];
    for event in targets {
        let said = Crafted::with(std::slice::from_ref(&event)).fsck(&[]);
        assert_eq!(said.codes(), ["missing_event"], "{event}");
    }
}

#[test]
fn a_loss_by_repair_is_reported_once_and_the_session_goes_on() {
    let crafted = Crafted::with(&two_turns());
    let mut lines = crafted.lines();
    lines[2][30] ^= 1;
    crafted.write(&lines.concat());
    let said = crafted.fsck(&[]);
    let expected = ["checksum", "gap", "missing_event", "result_without_call"];
    assert_eq!(said.codes(), expected);
    let said = crafted.fsck(&["--repair"]);
    assert_eq!(said.code, Some(0), "{:?}", said.findings);
    let said = crafted.fsck(&[]);
    assert!(said.is_clean(), "{:?}", said.findings);
    assert_eq!(said.notes(), ["kept", "loss_accepted"]);
    let session = described(&crafted);
    assert_eq!(session["phase"], "idle", "{session}");
    assert!(crafted.fsck(&[]).is_clean());
}

#[test]
fn an_accepted_loss_is_a_note() {
    let crafted = Crafted::with(&two_turns());
    let mut lines = crafted.lines();
    lines[2][30] ^= 1;
    crafted.write(&lines.concat());
    let said = crafted.fsck(&[]);
    let accepted: Vec<Value> = said.findings[..2]
        .iter()
        .map(|damage| json!({"type": "damage_accepted", "offset": damage["offset"], "length": damage["length"]}))
        .collect();
    crafted.append(&accepted);
    let before = crafted.bytes();
    let said = crafted.fsck(&["--repair"]);
    assert!(said.is_clean(), "{:?}", said.findings);
    assert_eq!(
        said.notes(),
        ["damage_accepted", "damage_accepted", "loss_accepted"]
    );
    assert_eq!(crafted.bytes(), before);
}

/// The session as a daemon describes it.
fn described(crafted: &Crafted) -> Value {
    let mut daemon = crafted.place.start();
    let session = call(
        &crafted.place,
        "getSession",
        &json!({"sessionId": crafted.id}),
    );
    assert!(daemon.stop().success());
    session["session"].clone()
}

fn call(place: &TestHome, method: &str, params: &Value) -> Value {
    use std::io::{BufRead, BufReader, Write};
    let mut socket = place.connect().unwrap();
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    writeln!(socket, "{request}").unwrap();
    let mut line = String::new();
    BufReader::new(socket).read_line(&mut line).unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert!(answer["error"].is_null(), "{answer}");
    answer["result"].clone()
}

#[test]
fn blobs_must_exist_and_match_their_names() {
    use sha2::{Digest, Sha256};
    let hash = |content: &str| format!("{:x}", Sha256::digest(content));
    let block = |hash: &str| json!({"type": "image", "mediaType": "image/png", "blob": hash});
    let content = [block(&hash("a")), block(&hash("b")), block(&hash("c"))];
    let crafted = Crafted::with(&[
        json!({"type": "message", "message": {"role": "user", "content": content}}),
    ]);
    let blobs = crafted.dir().join("blobs");
    crate::crafted::make_dir(&blobs);
    let write = |name: &str, content: &str| {
        crate::crafted::write_private(&blobs.join(hash(name)), content.as_bytes());
    };
    write("a", "a");
    write("b", "not b");
    write("unused", "unused");
    let header = crafted.lines()[0].len() as u64;
    let record = crafted.lines()[1].len() as u64 - 1;
    for arguments in [&[][..], &["--repair"]] {
        let said = crafted.fsck(arguments);
        let expected = [("blob_damaged", 0, 5), ("blob_missing", header, record)];
        assert_eq!(said.places(), expected);
        assert_eq!(said.code, Some(1));
    }
    assert_eq!(fs::read_to_string(blobs.join(hash("b"))).unwrap(), "not b");
    write("b", "b");
    write("c", "c");
    assert!(crafted.fsck(&[]).is_clean());
}
