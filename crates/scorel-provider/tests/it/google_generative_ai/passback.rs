//! Parts go back to their model unchanged and in order.

use std::sync::Arc;

use scorel_proto::{
    AssistantMessage, Block, Message, Meta, StopReason, ToolResultBlock, ToolResultMessage,
};
use scorel_provider::{Connector, ModelConfig, NoBlobs, Secret, Timeouts};
use scorel_testkit::{ModelReply, ModelServer, ScriptedResponse, StrictServer};
use serde_json::{Value, json};

use super::{API, events, stream};
use crate::collected::{KEY, collect, provider_at, question};
use crate::fixture;
use crate::played;

/// Lets the model reply twice and returns the parts of the first reply that were sent back.
async fn sent_back(first: ScriptedResponse) -> Value {
    let server = ModelServer::start().await.unwrap();
    server.answer(first);
    server.answer(stream(&events(&[json!({"text": "ok"})], "STOP")));
    let provider = provider_at(API, &server.base_url(), Timeouts::default());
    let mut request = question();
    let answer = played::answer(Arc::clone(&provider), &request.messages).await;
    let answer = answer.unwrap();
    let results = results(&answer);
    request.messages.push(Message::Assistant(answer));
    request.messages.extend(results);
    collect(provider.stream(request)).await;
    server.requests()[1].json()["contents"][1]["parts"].take()
}

fn results(answer: &AssistantMessage) -> Vec<Message> {
    let calls = answer.tool_uses().filter_map(|block| match block {
        Block::ToolUse { id, name, .. } => {
            let result = ToolResultBlock::error(id, "not now");
            Some(Message::ToolResult(ToolResultMessage::new(name, result, 1)))
        }
        _ => None,
    });
    calls.collect()
}

#[tokio::test]
async fn signed_parts_of_any_kind_keep_their_places() {
    let parts = [
        json!({"text": "hm", "thought": true}),
        json!({"text": "Let me "}),
        json!({"text": "look"}),
        json!({"text": " there.", "thoughtSignature": "s1"}),
        json!({"text": " Now:"}),
        json!({"executableCode": {"code": "1", "language": "PYTHON"}, "thoughtSignature": "s2"}),
        json!({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}),
        json!({"functionCall": {"id": "x", "name": "Read", "args": {"b": 1, "a": 2}}, "thoughtSignature": "s3"}),
        json!({"functionCall": {"name": "Read", "args": {}}}),
        json!({"text": "", "thoughtSignature": "s4"}),
        json!({"text": ""}),
    ];
    let back = sent_back(stream(&events(&parts, "STOP"))).await;
    assert_eq!(back, json!(normal(&parts)));
    assert_eq!(back.as_array().unwrap().len(), 8);
}

#[tokio::test]
async fn recorded_answers_go_back_as_they_came() {
    for fixture in fixture::load(API, "sse") {
        let body = String::from_utf8(fixture.body.clone()).unwrap();
        let complete = ["stop", "tool_use"].map(|reason| json!(reason));
        let whole = complete.contains(&fixture.sidecar("expected_outcome")["stop_reason"]);
        // Streamed calls go back as one part.
        if !whole || body.contains("willContinue") {
            continue;
        }
        let parts: Vec<Value> = body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .flat_map(|event| {
                let event: Value = serde_json::from_str(event).unwrap();
                let parts = &event["candidates"][0]["content"]["parts"];
                parts.as_array().cloned().unwrap_or_default()
            })
            .collect();
        let back = sent_back(ScriptedResponse::event_stream(body)).await;
        assert_eq!(back, json!(normal(&parts)), "{}", fixture.name);
    }
}

/// The parts without optional ones; neighbouring unsigned texts are joined.
fn normal(parts: &[Value]) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for part in parts {
        let signed = part.get("thoughtSignature").is_some();
        if part["thought"] == true || !signed && part["text"] == "" {
            continue;
        }
        let is_plain =
            |part: &Value| part["text"].is_string() && part.get("thoughtSignature").is_none();
        match kept.last_mut() {
            Some(last) if is_plain(last) && is_plain(part) => {
                let joined = format!(
                    "{}{}",
                    last["text"].as_str().unwrap(),
                    part["text"].as_str().unwrap()
                );
                last["text"] = json!(joined);
            }
            _ => kept.push(part.clone()),
        }
    }
    kept
}

#[tokio::test]
async fn a_conversation_of_another_model_goes_on_at_an_endpoint_that_checks_it() {
    let strict = StrictServer::start().await.unwrap();
    strict.reply(
        ModelReply::default()
            .thinking("hm")
            .tool_call("x", "Read", "{\"path\":\"a\"}"),
    );
    strict.reply(ModelReply::default().text("done"));
    let config = ModelConfig::custom("test", API, strict.server().base_url(), "gemini-3-pro");
    let provider = Connector::default()
        .connect(&config, Some(Secret::new(KEY)), Arc::new(NoBlobs))
        .unwrap();
    let mut messages = question().messages;
    let foreign = AssistantMessage {
        content: vec![call("call_1"), call("call_2")],
        model: "other".to_owned(),
        stop_reason: StopReason::ToolUse,
        usage: None,
        partial: false,
        meta: Meta::default(),
    };
    let foreign_results = results(&foreign);
    messages.push(Message::Assistant(foreign));
    messages.extend(foreign_results.into_iter().rev());
    let answer = played::answer(Arc::clone(&provider), &messages)
        .await
        .unwrap();
    let own_results = results(&answer);
    assert_eq!(own_results.len(), 1);
    messages.push(Message::Assistant(answer));
    messages.extend(own_results);
    messages.push(Message::user("and now?"));
    let answer = played::answer(provider, &messages).await.unwrap();
    assert_eq!(answer.content, [Block::text("done")]);
    assert_eq!(strict.rejections(), Vec::<String>::new());
}

fn call(id: &str) -> Block {
    Block::ToolUse {
        id: id.to_owned(),
        name: "Read".to_owned(),
        input: json!({"path": id}),
        invalid_input: None,
        provider: None,
    }
}
