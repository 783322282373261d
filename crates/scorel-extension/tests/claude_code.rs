//! Recorded pairs of what a command reads and what its answer means, after the examples of Claude Code's reference.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::path::{Path, PathBuf};

use scorel_engine::ToolCall;
use scorel_extension::hook::claude::{HookEffect, HookOpinion, HookScene, answer, stdin, views};
use scorel_extension::hook::{ContextPoint, HookEvent};
use serde_json::{Map, Value, json};

const PAIRS: &str = include_str!("data/claude_code.jsonl");

fn pairs() -> Vec<Value> {
    let lines = PAIRS.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn event(pair: &Value) -> HookEvent {
    pair["event"].as_str().unwrap().parse().unwrap()
}

/// An effect as the pairs write it.
fn shown(effect: &HookEffect) -> Value {
    let mut fields = Map::new();
    let (name, reason) = match &effect.opinion {
        HookOpinion::None => ("", ""),
        HookOpinion::Allow(reason) => ("allow", reason.as_str()),
        HookOpinion::Ask(reason) => ("ask", reason.as_str()),
        HookOpinion::Block(reason) => ("block", reason.as_str()),
    };
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value.filter(|_| !name.is_empty()) {
            fields.insert(name.to_owned(), value);
        }
    };
    set(name, Some(reason.into()));
    set("updated", effect.updated_input.clone().map(Value::Object));
    set("output", effect.output.clone());
    set("context", effect.context.clone().map(Value::from));
    set("stop", effect.stop.clone().map(Value::from));
    set("message", effect.message.clone().map(Value::from));
    Value::Object(fields)
}

#[test]
fn an_answer_has_the_effect_that_the_reference_says() {
    let pairs = pairs();
    assert!(pairs.len() >= 40, "{} pairs", pairs.len());
    for pair in pairs {
        let point = match pair["point"].as_str() {
            Some("start") => Some(ContextPoint::Start),
            Some("trim") => Some(ContextPoint::Trim),
            Some("end") => Some(ContextPoint::End),
            _ => None,
        };
        let code = i32::try_from(pair["exit"].as_i64().unwrap()).unwrap();
        let stdout = pair["stdout"].as_str().unwrap().as_bytes();
        let stderr = pair["stderr"].as_str().unwrap_or_default();
        let found = answer(event(&pair), point, code, stdout, stderr);
        match (found, pair["error"].as_str()) {
            (Ok(effect), None) => assert_eq!(shown(&effect), pair["effect"], "{}", pair["name"]),
            (Err(error), Some(said)) => {
                assert!(
                    error.to_string().starts_with(said),
                    "{}: {error}",
                    pair["name"]
                );
            }
            (found, _) => panic!("{}: {found:?}", pair["name"]),
        }
    }
}

#[test]
fn a_command_reads_what_the_reference_says() {
    let scene = HookScene {
        session_id: "s1".to_owned(),
        transcript_path: PathBuf::from("/t/s1.jsonl"),
        directory: PathBuf::from("/p"),
        permission_mode: "default".to_owned(),
        agent: None,
        ran_by: None,
    };
    for pair in pairs() {
        let event = event(&pair);
        let more = pair["more"].as_object().cloned().unwrap_or_default();
        let tool = pair["tool"].as_str();
        let views = tool.map(|tool| views(tool, &pair["input"], Path::new("/p")));
        let call = tool.map(|tool| ToolCall {
            id: "c1".to_owned(),
            name: tool.to_owned(),
            input: pair["input"].clone(),
            invalid_input: None,
        });
        let call = call.as_ref().zip(views.as_ref().map(|views| &views[0]));
        let read = stdin(&scene, event, call, more.clone());
        let mut expected = json!({
            "session_id": "s1",
            "transcript_path": "/t/s1.jsonl",
            "cwd": "/p",
            "permission_mode": "default",
            "hook_event_name": event.word(),
            "scorel": {"event": event.word()},
        });
        for (name, value) in pair["stdin"].as_object().unwrap().iter().chain(&more) {
            expected[name] = value.clone();
        }
        if let Some(tool) = tool {
            expected["tool_use_id"] = "c1".into();
            expected["scorel"]["tool"] = tool.into();
            expected["scorel"]["input"] = pair["input"].clone();
        }
        assert_eq!(read, expected, "{}", pair["name"]);
    }
}
