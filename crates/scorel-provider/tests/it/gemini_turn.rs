//! Gemini's streams, and the parts of an answer that go back to it.

use std::sync::Arc;

use scorel_proto::{AssistantMessage, Block, Message, ToolResultBlock, ToolResultMessage};
use scorel_provider::Timeouts;
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use crate::collected::{collect, provider_at, question};
use crate::played;

pub(crate) const API: &str = "google-generative-ai";

/// One event per part, and a last one with the finish reason.
pub(crate) fn events(parts: &[Value], reason: &str) -> Vec<Value> {
    let mut events: Vec<Value> = parts
        .iter()
        .map(|part| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]}))
        .collect();
    let usage = json!({"promptTokenCount": 3, "candidatesTokenCount": 2, "thoughtsTokenCount": 1});
    events.push(json!({"candidates": [{"finishReason": reason}], "usageMetadata": usage}));
    events
}

pub(crate) fn stream(events: &[Value]) -> ScriptedResponse {
    let body: String = events
        .iter()
        .map(|event| format!("data: {event}\r\n\r\n"))
        .collect();
    ScriptedResponse::event_stream(body)
}

/// Lets the model reply twice and returns the parts of the first reply that were sent back.
pub(crate) async fn sent_back(first: ScriptedResponse) -> Value {
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

pub(crate) fn results(answer: &AssistantMessage) -> Vec<Message> {
    let calls = answer.tool_uses().filter_map(|block| match block {
        Block::ToolUse { id, name, .. } => {
            let result = ToolResultBlock::error(id, "not now");
            Some(Message::ToolResult(ToolResultMessage::new(name, result, 1)))
        }
        _ => None,
    });
    calls.collect()
}

/// The parts without optional ones; neighbouring unsigned texts are joined.
pub(crate) fn normal(parts: &[Value]) -> Vec<Value> {
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
