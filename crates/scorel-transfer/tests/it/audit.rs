use std::collections::BTreeSet;
use std::path::Path;

use scorel_proto::{
    Block, Event, Message, PersistentBody, PersistentEvent, RunPhase, StopReason, TextPart,
};
use scorel_transfer::audit::{AuditLine, Difference, SessionAudit, ToolBlobs};
use serde_json::{Value, json};

use crate::run_log::{RunLog, TOOLS, tools};

fn part(part: TextPart, text: &str) -> Block {
    Block::Text {
        text: text.to_owned(),
        part: Some(part),
        template_ref: Some(part.name().to_lowercase()),
        provider: None,
    }
}

fn call(id: &str) -> Block {
    called(id, json!({"path": "@state/workflow.md"}))
}

fn called(id: &str, input: Value) -> Block {
    Block::ToolUse {
        id: id.to_owned(),
        name: "fs_read".to_owned(),
        input,
        invalid_input: None,
        provider: None,
    }
}

/// Two calls: the first reads the document, the second ends the turn.
fn run() -> RunLog {
    let mut log = RunLog::begun();
    log.user(vec![
        part(TextPart::RunDirective, "RUN_DIRECTIVE\n- intent: start"),
        part(TextPart::NodeBrief, "NODE_BRIEF\n- currentNodeId: step-01"),
        part(
            TextPart::UserInput,
            "USER_INPUT\n- forNodeId: step-01\nBegin.",
        ),
    ]);
    log.answer(
        vec![Block::text("I look."), call("tc01")],
        StopReason::ToolUse,
    );
    log.tool_runs(
        "tc01",
        &json!({"ok": true, "path": "@state/workflow.md", "bytes": 12}),
    );
    log.recorded(None);
    log.answer(vec![Block::text("Which story?")], StopReason::EndTurn);
    log.recorded(Some(RunPhase::WaitingUser));
    log
}

fn audited(events: &[PersistentEvent], blobs: &ToolBlobs) -> Vec<AuditLine> {
    let mut audit = SessionAudit::new(blobs);
    let mut lines: Vec<AuditLine> = events.iter().filter_map(|it| audit.add(it)).collect();
    lines.extend(audit.end());
    lines
}

fn whole() -> ToolBlobs {
    let mut blobs = ToolBlobs::default();
    blobs.insert(tools(), TOOLS.as_bytes());
    blobs
}

fn message(event: &mut PersistentEvent) -> Option<&mut Message> {
    match &mut event.body {
        PersistentBody::Message(body) => Some(&mut body.message),
        _ => None,
    }
}

#[test]
fn the_lines_of_a_run_are_those_of_the_golden() {
    let lines = audited(&run().events, &whole());
    let texts = lines.iter().map(|line| format!("{}\n", json!(line)));
    let text: String = texts.collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/audit.jsonl");
    if std::env::var_os("SCOREL_REWRITE_GOLDENS").is_some() {
        std::fs::write(&path, &text).expect("writable");
    }
    let golden = std::fs::read_to_string(&path).expect("set SCOREL_REWRITE_GOLDENS=1 once");
    assert_eq!(text, golden);
    assert!(lines.iter().all(|line| line.proof.matches));
}

/// Numbers that a quick reader takes for their neighbours.
#[test]
fn numbers_that_were_read_back_from_a_log_are_those_of_the_request() {
    let text =
        "[985.4490955474861,485.28329200882956,8.383658838626809e-78,6.934698245112694e+276]";
    let mut log = RunLog::begun();
    log.user(vec![Block::text("Add them.")]);
    let input = serde_json::from_str(text).expect("numbers");
    log.answer(vec![called("tc01", input)], StopReason::ToolUse);
    log.tool_runs("tc01", &json!({"ok": true}));
    log.recorded(None);
    log.answer(vec![Block::text("Done.")], StopReason::EndTurn);
    log.recorded(Some(RunPhase::WaitingUser));
    let read = |event: &PersistentEvent| {
        let line = serde_json::to_string(event).expect("an event");
        assert!(!line.contains("985.") || line.contains(text), "{line}");
        match Event::decode(&line).expect("the same event") {
            Event::Persistent(event) => *event,
            other => panic!("{other:?}"),
        }
    };
    let events: Vec<PersistentEvent> = log.events.iter().map(read).collect();
    let lines = audited(&events, &whole());
    assert!(lines.iter().all(|line| line.proof.matches), "{lines:?}");
}

#[test]
fn the_blobs_of_tools_are_named_by_the_answers() {
    let mut wanted = BTreeSet::new();
    for event in &run().events {
        ToolBlobs::named_by(event, &mut wanted);
    }
    assert_eq!(wanted.into_iter().collect::<Vec<_>>(), [tools()]);
}

#[test]
fn tools_that_are_missing_or_changed_are_reported() {
    let events = run().events;
    let lines = audited(&events, &ToolBlobs::default());
    assert_eq!(lines[0].proof.differences, [Difference::ToolsMissing]);
    let mut blobs = ToolBlobs::default();
    blobs.insert(tools(), TOOLS.replace("Reads", "reads").as_bytes());
    let lines = audited(&events, &blobs);
    assert_eq!(lines[1].proof.differences, [Difference::Tools]);
    assert!(!lines[1].proof.matches);
}

#[test]
fn a_record_that_says_something_else_than_its_answer_is_reported() {
    let mut events = run().events;
    let record = events.last_mut().expect("the last record");
    let PersistentBody::Custom(body) = &mut record.body else {
        panic!("{record:?}");
    };
    body.data["requestSha256"] = "0".repeat(64).into();
    let lines = audited(&events, &whole());
    assert!(lines[0].proof.matches);
    assert_eq!(lines[1].proof.differences, [Difference::EngineTurn]);
}

#[test]
fn a_hash_that_was_changed_breaks_the_requests_behind_it_too() {
    let mut events = run().events;
    let answers = events.iter_mut().filter_map(message);
    let mut proofs = answers.filter_map(|message| match message {
        Message::Assistant(answer) => answer.meta.request.as_mut(),
        _ => None,
    });
    proofs.next().expect("a proof").request_sha256 = "0".repeat(64);
    let lines = audited(&events, &whole());
    assert!(lines.iter().all(|line| !line.proof.matches));
}

#[test]
fn every_changed_character_of_what_a_model_read_is_reported() {
    let events = run().events;
    for (place, event) in events.iter().enumerate() {
        let mut changed = events.clone();
        let Some(Message::ToolResult(_) | Message::User(_)) = message(&mut changed[place]) else {
            continue;
        };
        let text = serde_json::to_string(&event.body).expect("keys are texts");
        for (from, to) in [
            ("RUN_DIR", "RUN_dir"),
            ("Begin", "begin"),
            ("\\\"bytes\\\":12", "\\\"bytes\\\":13"),
        ] {
            if !text.contains(from) {
                continue;
            }
            let mut event = serde_json::to_value(event).expect("keys are texts");
            event["prev"] = 0.into();
            let text = event.to_string().replacen(from, to, 1);
            let decoded = scorel_proto::Event::decode(&text).expect("an event");
            let scorel_proto::Event::Persistent(decoded) = decoded else {
                panic!("{decoded:?}");
            };
            changed[place] = *decoded;
            let lines = audited(&changed, &whole());
            assert!(lines.iter().any(|line| !line.proof.matches), "{from}");
        }
    }
}

#[test]
fn a_call_without_a_record_is_told_at_the_end() {
    let mut events = run().events;
    events.pop();
    let lines = audited(&events, &whole());
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[1].id, lines[1].proof.matches), (&None, true));
}
