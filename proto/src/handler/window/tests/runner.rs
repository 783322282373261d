use serde_json::json;

use super::{Path, show};
use crate::{
    AssistantMessage, Block, ContextWindow, EventId, Message, MessageRunner, Meta, StopReason,
    ToolResultBlock, ToolResultMessage, Usage, build_context,
};

fn meta() -> Meta {
    Meta {
        runner: Some(MessageRunner {
            name: "codex".into(),
            context_id: Some("c1".into()),
        }),
        ..Meta::default()
    }
}

fn answer(path: &mut Path, content: Vec<Block>) -> EventId {
    path.message(Message::Assistant(AssistantMessage {
        content,
        model: "gpt-5-codex".into(),
        stop_reason: StopReason::ToolUse,
        usage: Some(Usage {
            input_tokens: 100_000,
            ..Usage::default()
        }),
        cost: None,
        partial: false,
        meta: meta(),
    }))
}

fn result(path: &mut Path, text: &str, is_error: bool) -> EventId {
    let block = ToolResultBlock {
        tool_use_id: "c".into(),
        content: vec![Block::text(text)],
        is_error,
        details: None,
    };
    path.message(Message::ToolResult(ToolResultMessage {
        meta: meta(),
        ..ToolResultMessage::new("shell", block, 1)
    }))
}

fn thinking() -> Block {
    Block::Thinking {
        text: "Hm".into(),
        signature: Some("s".into()),
        redacted: false,
        provider: None,
    }
}

fn call(command: &str) -> Block {
    Block::ToolUse {
        id: "c".into(),
        name: "shell".into(),
        input: json!({"command": command}),
        invalid_input: None,
        provider: None,
    }
}

#[test]
fn what_a_runner_did_is_text_for_a_model_of_ours() {
    let mut path = Path::new();
    path.user("q");
    answer(
        &mut path,
        vec![thinking(), Block::text("I look."), call("ls")],
    );
    result(&mut path, "README.md", false);
    answer(&mut path, vec![call("make")]);
    path.steer("hurry");
    result(&mut path, "no rule", true);
    answer(&mut path, vec![Block::text("done")]);
    path.check(
        "u:q | a:I look.\n[call of shell in codex] {\"command\":\"ls\"} \
         | u:[[result of shell in codex]\nREADME.md] \
         | a:[call of shell in codex] {\"command\":\"make\"} | u:hurry \
         | u:[[result of shell in codex, failed]\nno rule] | a:done",
    );
}

#[test]
fn reasoning_alone_leaves_no_message() {
    let mut path = Path::new();
    path.user("q");
    answer(&mut path, vec![thinking()]);
    path.check("u:q");
}

#[test]
fn long_arguments_and_results_are_shortened() {
    let mut path = Path::new();
    answer(&mut path, vec![call(&"x\n".repeat(10_000))]);
    result(
        &mut path,
        &format!("first{}last", "漢".repeat(10_000)),
        false,
    );
    let context = build_context(&path.events, &[]);
    let [line, reminder] = [0, 1].map(|index| show(&context[index]));
    assert!(line.len() < 600 && line.lines().count() == 1, "{line}");
    let (_, content) = reminder.split_once("codex]\n").expect("a result");
    assert!(content.len() <= 2048 + "]".len(), "{}", content.len());
    assert!(content.starts_with("first") && content.ends_with("last]"));
}

#[test]
fn the_usage_of_a_runner_measures_no_request_of_ours() {
    let mut path = Path::new();
    path.user("q");
    answer(&mut path, vec![Block::text("a")]);
    let window = ContextWindow::build(&path.events, &[], None);
    assert_eq!(window.measured(), None);
    let Message::Assistant(converted) = &window.context()[1] else {
        panic!("an answer");
    };
    assert_eq!(
        (converted.usage, converted.meta.clone()),
        (None, Meta::default())
    );
}
