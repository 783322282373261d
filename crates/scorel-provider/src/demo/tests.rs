use std::time::Duration;

use futures_util::StreamExt;
use scorel_engine::{ModelRequest, Provider, ProviderEvent, ThinkingLevel, ToolSpec};
use scorel_proto::{
    AssistantMessage, Block, Message, Meta, StopReason, ToolResultBlock, ToolResultMessage,
};
use serde_json::{Value, json};

use super::Demo;

fn request(messages: Vec<Message>, tools: &[&str]) -> ModelRequest {
    let spec = |name: &&str| ToolSpec {
        name: (*name).to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}).into(),
        read_only: true,
        class: scorel_engine::ToolClass::Inspect,
    };
    ModelRequest {
        system: "Be brief.".to_owned(),
        messages: messages.into(),
        tools: tools.iter().map(spec).collect(),
        thinking: ThinkingLevel::Default,
    }
}

/// The text, the call and why it stopped.
struct DemoReplyParts {
    text: String,
    call: Option<(String, String, Value)>,
    stop_reason: StopReason,
    events: Vec<ProviderEvent>,
}

async fn ask(request: ModelRequest) -> DemoReplyParts {
    let mut stream = Demo::new(Duration::ZERO).stream(request);
    let (mut text, mut start, mut arguments, mut stop) = (String::new(), None, String::new(), None);
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        let event = event.unwrap();
        match event.clone() {
            ProviderEvent::Text { delta, .. } => text.push_str(&delta),
            ProviderEvent::ToolCallStart { id, name, .. } => start = Some((id, name)),
            ProviderEvent::ToolCallDelta { delta, .. } => arguments.push_str(&delta),
            ProviderEvent::Done { stop_reason, .. } => stop = Some(stop_reason),
            _ => {}
        }
        events.push(event);
    }
    let call = start.map(|(id, name)| (id, name, serde_json::from_str(&arguments).unwrap()));
    DemoReplyParts {
        text,
        call,
        stop_reason: stop.unwrap(),
        events,
    }
}

/// The messages of a step: the call that was made and its result.
fn step(said: &DemoReplyParts, result: &str) -> [Message; 2] {
    let (id, name, input) = said.call.clone().unwrap();
    let content = vec![
        Block::text(&said.text),
        Block::ToolUse {
            id: id.clone(),
            name: name.clone(),
            input,
            invalid_input: None,
            provider: None,
        },
    ];
    let assistant = AssistantMessage {
        content,
        model: "demo".to_owned(),
        stop_reason: said.stop_reason,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    };
    let result = ToolResultBlock {
        tool_use_id: id,
        content: vec![Block::text(result)],
        is_error: false,
        details: None,
    };
    [
        Message::Assistant(assistant),
        Message::ToolResult(ToolResultMessage::new(name, result, 1)),
    ]
}

#[tokio::test]
async fn it_looks_reads_and_answers_from_what_it_found() {
    let tools = ["Read", "Glob", "Grep"];
    let mut messages = vec![Message::user("What is in here?")];
    let looked = ask(request(messages.clone(), &tools)).await;
    assert_eq!(looked.stop_reason, StopReason::ToolUse);
    assert!(!looked.text.is_empty());
    let (_, name, input) = looked.call.clone().unwrap();
    assert_eq!((name.as_str(), input), ("Glob", json!({"pattern": "*"})));

    messages.extend(step(&looked, "Cargo.toml\nREADME.md\nsrc/"));
    let read = ask(request(messages.clone(), &tools)).await;
    let (id, name, input) = read.call.clone().unwrap();
    assert_eq!(name, "Read");
    assert_eq!(input["path"], "README.md");
    assert_ne!(id, looked.call.unwrap().0);

    messages.extend(step(&read, "     1\t# Apples\n     2\tA shop."));
    let answer = ask(request(messages, &tools)).await;
    assert_eq!(answer.stop_reason, StopReason::EndTurn);
    assert!(answer.call.is_none());
    for part in [
        "not a language model",
        "What is in here?",
        "3 entries",
        "`Cargo.toml`",
        "Apples",
        "config.toml",
    ] {
        assert!(answer.text.contains(part), "{part}: {}", answer.text);
    }
}

#[tokio::test]
async fn without_a_known_file_it_answers_after_the_listing() {
    let mut messages = vec![Message::user("hi")];
    let looked = ask(request(messages.clone(), &["Glob", "Read"])).await;
    messages.extend(step(&looked, "notes.txt"));
    let answer = ask(request(messages, &["Glob", "Read"])).await;
    assert!(answer.call.is_none());
    assert!(
        answer.text.contains("1 entry: `notes.txt`"),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn a_listing_with_further_pages_is_not_taken_as_complete() {
    let mut messages = vec![Message::user("hi")];
    let looked = ask(request(messages.clone(), &["Glob"])).await;
    messages.extend(step(
        &looked,
        "a\nb\n[Paths 1 to 2 of 9. Continue with offset 2.]\n",
    ));
    let answer = ask(request(messages, &["Glob"])).await;
    assert!(
        answer.text.contains("at least 2 entries: `a`, `b`"),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn every_question_runs_the_tools_again() {
    let mut messages = vec![Message::user("one")];
    let looked = ask(request(messages.clone(), &["Glob"])).await;
    messages.extend(step(&looked, "a"));
    messages.push(Message::user("two"));
    let again = ask(request(messages, &["Glob"])).await;
    assert_eq!(again.call.unwrap().0, "demo_call_2");
}

#[tokio::test]
async fn only_tools_that_it_was_given_are_called() {
    let answer = ask(request(vec![Message::user("hi")], &["Bash"])).await;
    assert!(answer.call.is_none());
    assert!(answer.text.contains("not a language model"));
    let read = ask(request(vec![Message::user("hi")], &["Read"])).await;
    assert_eq!(read.call.unwrap().1, "Read");
}

#[tokio::test]
async fn equal_requests_give_equal_answers_in_small_pieces() {
    let make = || request(vec![Message::user("hi")], &[]);
    let (one, two) = (ask(make()).await, ask(make()).await);
    assert_eq!(one.events, two.events);
    assert!(one.events.len() > 20);
    let Some(ProviderEvent::Done { usage, .. }) = one.events.last() else {
        panic!("no end");
    };
    assert!(usage.unwrap().output_tokens > 20);
}

#[tokio::test(start_paused = true)]
async fn the_pace_is_kept_between_pieces() {
    let start = tokio::time::Instant::now();
    let pace = Duration::from_millis(10);
    let events = Demo::new(pace).stream(request(vec![Message::user("hi")], &[]));
    let count = events.count().await;
    assert_eq!(start.elapsed(), pace * (count as u32 - 1));
}

/// A brief as the daemon writes it.
fn brief(node: &str, more: &str) -> String {
    format!(
        "NODE_BRIEF\n- currentNodeId: {node}\n- stepFile: @pkg/steps/{node}.md\n{more}- visits: 0 of 25\n"
    )
}

#[tokio::test]
async fn a_run_is_gone_through_by_its_briefs() {
    let tools = ["Read", "fs_read", "fs_write", "fs_apply_patch"];
    let ways = "- requiredOutputs:\n  - @project/artifacts/a.md\n- allowedNext:\n  - end (label=good, isDefault=true)\n  - again (label=fix)\n";
    let directive = "RUN_DIRECTIVE\n- intent: start\n";
    let first = format!("{directive}{}- input: user\n", brief("ask", ways));
    let mut messages = vec![Message::user(&first)];
    let asked = ask(request(messages.clone(), &tools)).await;
    assert!(
        asked.call.is_none() && asked.text.contains("ask waits for you"),
        "{}",
        asked.text
    );
    messages.push(Message::user("USER_INPUT\n- forNodeId: ask\nyes"));
    for (name, input, result) in [
        ("fs_read", json!({"path": "@state/workflow.md"}), "{}"),
        ("fs_write", json!("@project/artifacts/a.md"), "{}"),
        (
            "fs_apply_patch",
            json!({"stepsCompleted": {"append": ["ask"]}, "currentNodeId": {"set": "end"}}),
            "{}",
        ),
    ] {
        let said = ask(request(messages.clone(), &tools)).await;
        let (_, called, given) = said.call.clone().unwrap();
        let shown = [&given, &given["path"], &given["update"]].contains(&&input);
        assert!(called == name && shown, "{called} {given}");
        messages.extend(step(&said, result));
    }
    messages.push(Message::user(brief(
        "end",
        "- requiredOutputs: []\n- allowedNext: []\n",
    )));
    for (name, last) in [("fs_read", "read"), ("fs_apply_patch", "patched")] {
        let said = ask(request(messages.clone(), &tools)).await;
        assert_eq!(said.call.clone().unwrap().1, name);
        messages.extend(step(&said, last));
    }
    let ended = ask(request(messages, &tools)).await;
    assert!(
        ended.call.is_none() && ended.text.contains("at its end"),
        "{}",
        ended.text
    );
}
