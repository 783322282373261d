use std::sync::Arc;

use scorel_proto::StopReason;
use scorel_provider::Timeouts;
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use crate::collected::{collect, provider_at, question};
use crate::fixture::{self, Recording};
use crate::played;
use crate::replies::anthropic_says;

const API: &str = "anthropic-messages";

pub(crate) async fn every_recorded_answer_goes_back_as_it_came() {
    let mut compared = 0;
    let fixtures = fixture::load(API, "sse");
    for fixture in fixtures.iter().filter(|fixture| is_plain(fixture)) {
        let server = ModelServer::start().await.unwrap();
        server.answer(ScriptedResponse::event_stream(fixture.body.clone()));
        server.answer(anthropic_says("done"));
        let provider = provider_at(API, &server.base_url(), Timeouts::default());
        let mut request = question();
        let answer = played::answer(Arc::clone(&provider), &request.messages).await;
        let answer = answer.unwrap();
        let partial = answer.partial;
        request.messages.extend(played::continued(answer));
        collect(provider.stream(request)).await;
        let sent = server.requests()[1].json();
        let expected = expected(fixture, partial);
        compare(&fixture.name, &sent["messages"][1]["content"], &expected);
        compared += 1;
    }
    assert!(compared >= 30, "{compared}");
}

pub(crate) async fn the_engine_sends_a_paused_answer_back_and_goes_on() {
    let mut fixtures = fixture::load(API, "sse").into_iter();
    let paused = fixtures.find(|fixture| fixture.name == "pause-turn-web-search");
    let paused = paused.unwrap();
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::event_stream(paused.body.clone()));
    server.answer(anthropic_says("done"));
    let provider = provider_at(API, &server.base_url(), Timeouts::default());
    let answers = played::answers(provider, question().messages, 2).await;
    let reasons: Vec<_> = answers.iter().map(|answer| answer.stop_reason).collect();
    assert_eq!(reasons, [StopReason::Pause, StopReason::EndTurn]);
    let sent = server.requests()[1].json();
    assert_eq!(sent["messages"].as_array().unwrap().len(), 2);
    let content = &sent["messages"][1]["content"];
    compare(&paused.name, content, &expected(&paused, false));
}

/// Compares block by block, since whole messages are too long to print.
fn compare(name: &str, sent: &Value, expected: &Value) {
    let blocks = |content: &Value| content.as_array().cloned().unwrap_or_default();
    let (sent, expected) = (blocks(sent), blocks(expected));
    for (place, (sent, expected)) in sent.iter().zip(&expected).enumerate() {
        assert_eq!(sent, expected, "{name}: block {place}");
    }
    assert_eq!(sent.len(), expected.len(), "{name}");
}

/// Complete replies with content, whose events are one line each.
fn is_plain(fixture: &Recording) -> bool {
    let whole = fixture.sidecar("expected_outcome")["kind"] == "ok";
    let filled = fixture.sidecar("expected")["blocks"] != json!([]);
    whole && filled && fixture.name != "sse-no-space-and-multiline-data"
}

/// The content of the reply according to its events.
fn expected(fixture: &Recording, partial: bool) -> Value {
    let text = String::from_utf8(fixture.body.clone()).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let events = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut blocks: Vec<Value> = Vec::new();
    for event in events {
        match event["type"].as_str().unwrap() {
            "content_block_start" => blocks.push(event["content_block"].clone()),
            "content_block_delta" => add(blocks.last_mut().unwrap(), &event["delta"]),
            _ => {}
        }
    }
    let blocks = blocks.into_iter().map(settled);
    // Of a truncated reply only the text goes back.
    blocks
        .filter(|block| !is_silent(block) && (!partial || block["type"] == "text"))
        .collect()
}

fn add(block: &mut Value, delta: &Value) {
    let append = |block: &mut Value, field: &str, more: &Value| {
        let before = block[field].as_str().unwrap_or_default().to_owned();
        block[field] = json!(before + more.as_str().unwrap());
    };
    match delta["type"].as_str().unwrap() {
        "text_delta" => append(block, "text", &delta["text"]),
        "thinking_delta" => append(block, "thinking", &delta["thinking"]),
        "signature_delta" => append(block, "signature", &delta["signature"]),
        "input_json_delta" => append(block, "raw", &delta["partial_json"]),
        "compaction_delta" => append(block, "content", &delta["content"]),
        "citations_delta" => {
            let mut citations = block["citations"].as_array().cloned().unwrap_or_default();
            citations.push(delta["citation"].clone());
            block["citations"] = json!(citations);
        }
        other => panic!("unknown delta {other}"),
    }
}

/// Normalises a block to the form in which it is sent.
fn settled(mut block: Value) -> Value {
    let fields = block.as_object_mut().unwrap();
    if let Some(raw) = fields.remove("raw")
        && let Ok(input) = serde_json::from_str(raw.as_str().unwrap())
    {
        fields.insert("input".to_owned(), input);
    }
    // The default.
    fields.retain(|name, value| name != "citations" || *value != json!([]));
    if fields["type"] == "tool_use" {
        fields.retain(|name, value| name != "caller" || value["type"] != "direct");
    }
    block
}

/// Blank texts are rejected and not sent.
fn is_silent(block: &Value) -> bool {
    block["type"] == "text" && block["text"].as_str().unwrap().trim().is_empty()
}
