use std::sync::Arc;

use scorel_engine::Provider;
use scorel_proto::{AssistantMessage, Block, Message, ToolResultBlock, ToolResultMessage};
use scorel_provider::{Connector, ModelConfig, NoBlobs, Secret};
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use crate::collected::{KEY, collect, question};
use crate::fixture::{self, Recording};
use crate::played;

const API: &str = "openai-completions";

/// Recordings of hosts that reason before a call: the host's dialect, and the field in which its
/// reasoning goes back.
const CASES: [(&str, &str, &str); 9] = [
    ("deepseek-reasoning-tool", "deepseek", "reasoning_content"),
    ("kimi-reasoning-tool", "moonshot", "reasoning_details"),
    ("zai-glm-reasoning-tool", "zhipu", "reasoning_content"),
    ("xai-reasoning-tool", "xai", "reasoning_content"),
    (
        "llamacpp-gpt-oss-thinking-tool",
        "llama.cpp",
        "reasoning_content",
    ),
    ("groq-reasoning-tool", "groq", "reasoning"),
    (
        "openrouter-anthropic-thinking-tool",
        "openrouter",
        "reasoning_details",
    ),
    ("openrouter-gemini-tool", "openrouter", "reasoning_details"),
    (
        "vercel-gateway-claude-thinking-tool",
        "openrouter",
        "reasoning_details",
    ),
];

pub(crate) async fn reasoning_goes_back_to_the_model_in_the_field_that_it_came_in() {
    let fixtures = fixture::load(API, "sse");
    for (name, host, field) in CASES {
        let fixture = fixtures.iter().find(|fixture| fixture.name == name);
        let fixture = fixture.unwrap_or_else(|| panic!("there is no recording {name}"));
        let sent = replayed(fixture, host, None).await;
        let message = &sent["messages"][1];
        assert_eq!(message["role"], "assistant", "{name}");
        let expected = fixture.sidecar("expected");
        if field == "reasoning_details" {
            assert_eq!(message[field], details(fixture), "{name}");
        } else {
            assert_eq!(message[field], expected["thinking"], "{name}");
        }
        let calls = message["tool_calls"].as_array().unwrap();
        assert_eq!(
            calls.len(),
            expected["tool_calls"].as_array().unwrap().len()
        );
        for (call, expected) in calls.iter().zip(expected["tool_calls"].as_array().unwrap()) {
            let arguments = call["function"]["arguments"].as_str().unwrap();
            let arguments: Value = serde_json::from_str(arguments).unwrap();
            assert_eq!(arguments, expected["arguments"], "{name}");
            assert_eq!(call["function"]["name"], expected["name"], "{name}");
        }
    }
}

pub(crate) async fn reasoning_never_goes_to_another_model() {
    for fixture in fixture::load(API, "sse") {
        let Some((_, host, field)) = CASES.into_iter().find(|(name, ..)| *name == fixture.name)
        else {
            continue;
        };
        let sent = replayed(&fixture, host, Some("another-model")).await;
        let message = &sent["messages"][1];
        let name = &fixture.name;
        if host == "deepseek" {
            // The field is required, but may be empty.
            assert_eq!(message[field], "", "{name}");
        } else {
            assert!(message[field].is_null(), "{name}: {message}");
        }
    }
}

/// The request after the recorded reply, to the same model or to another.
async fn replayed(fixture: &Recording, host: &str, other: Option<&str>) -> Value {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::event_stream(fixture.body.clone()));
    server.answer(ScriptedResponse::chat().text("done").finish("stop"));
    let first = provider(&server, host, "model-1");
    let asked = question().messages;
    let answer = played::answer(Arc::clone(&first), &asked).await.unwrap();
    let second = other.map_or(first, |other| provider(&server, host, other));
    let mut request = question();
    request.messages.extend(continued(answer));
    collect(second.stream(request)).await;
    server.requests()[1].json()
}

fn provider(server: &ModelServer, host: &str, model: &str) -> Arc<dyn Provider> {
    let mut config = ModelConfig::custom("test", API, server.base_url(), model);
    config.dialect = Some(host.to_owned());
    Connector::default()
        .connect(&config, Some(Secret::new(KEY)), Arc::new(NoBlobs))
        .unwrap()
}

/// The reply and a result for each of its calls.
fn continued(answer: AssistantMessage) -> Vec<Message> {
    let result = |call: &Block| {
        let Block::ToolUse { id, name, .. } = call else {
            unreachable!("a call is a call")
        };
        let result = ToolResultBlock::error(id.clone(), "no");
        Message::ToolResult(ToolResultMessage::new(name.clone(), result, 1))
    };
    let results: Vec<Message> = answer.tool_uses().map(result).collect();
    let mut messages = vec![Message::Assistant(answer)];
    messages.extend(results);
    messages
}

/// `reasoning_details` assembled from the deltas: texts concatenated, the rest unchanged.
fn details(fixture: &Recording) -> Value {
    let text = String::from_utf8(fixture.body.clone()).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut whole: Vec<Value> = Vec::new();
    for mut event in events {
        let delta = event["choices"][0]["delta"]["reasoning_details"].take();
        for piece in delta.as_array().into_iter().flatten() {
            let same = whole
                .last_mut()
                .filter(|last| last["type"] == piece["type"] && last["index"] == piece["index"])
                .filter(|last| last["type"] != "reasoning.encrypted");
            match same {
                Some(last) => join(last, piece),
                None => whole.push(piece.clone()),
            }
        }
    }
    json!(whole)
}

fn join(whole: &mut Value, piece: &Value) {
    for (name, value) in piece.as_object().unwrap() {
        let before = whole[name].as_str().filter(|_| name == "text");
        match (before, value.as_str()) {
            (Some(before), Some(more)) => whole[name] = json!(format!("{before}{more}")),
            _ if value.is_null() => {}
            _ => whole[name] = value.clone(),
        }
    }
}
