use std::collections::BTreeMap;
use std::sync::Arc;

use scorel_provider::Timeouts;
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use crate::collected::{collect, provider_at, question};
use crate::fixture::{self, Recording};
use crate::played;
use crate::replies::responses_says;

const API: &str = "openai-responses";

pub(crate) async fn every_recorded_answer_goes_back_as_it_came() {
    let mut compared = 0;
    let fixtures = fixture::load(API, "sse");
    for fixture in &fixtures {
        if fixture.sidecar("expected_outcome")["kind"] == "error" {
            continue;
        }
        let server = ModelServer::start().await.unwrap();
        server.answer(ScriptedResponse::event_stream(fixture.body.clone()));
        server.answer(responses_says("done"));
        let provider = provider_at(API, &server.base_url(), Timeouts::default());
        let mut request = question();
        let asked = request.messages.clone();
        let Some(answer) = played::answers(Arc::clone(&provider), asked, 1).await.pop() else {
            // The limit was reached before any text.
            continue;
        };
        let partial = answer.partial;
        request.messages.extend(played::continued(answer));
        collect(provider.stream(request)).await;
        let sent = server.requests()[1].json();
        compare(&fixture.name, &answered(&sent), &expected(fixture, partial));
        compared += 1;
    }
    assert!(compared >= 28, "{compared}");
}

fn compare(name: &str, sent: &[Value], expected: &[Value]) {
    for (place, (sent, expected)) in sent.iter().zip(expected).enumerate() {
        assert_eq!(sent, expected, "{name}: item {place}");
    }
    assert_eq!(sent.len(), expected.len(), "{name}");
}

/// The items of the reply in the request after it.
fn answered(sent: &Value) -> Vec<Value> {
    let items = sent["input"].as_array().unwrap().iter().skip(1);
    let items =
        items.take_while(|item| item["type"] != "function_call_output" && item["role"] != "user");
    settled(items.cloned().collect())
}

/// The items of the reply according to its events.
fn expected(fixture: &Recording, partial: bool) -> Vec<Value> {
    let text = String::from_utf8(fixture.body.clone()).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let events = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut items = BTreeMap::new();
    for mut event in events {
        if event["type"] == "response.output_item.done" {
            let place = event["output_index"].as_u64().unwrap();
            items.insert(place, event["item"].take());
        } else if event["type"] == "response.completed" {
            // Some items have no `output_item.done`.
            let output = event["response"]["output"].as_array_mut().unwrap();
            for (place, item) in (0..).zip(output) {
                items.entry(place).or_insert(item.take());
            }
        }
    }
    let items = items.into_values();
    // Of a truncated reply only the text goes back.
    let items = items.filter(|item| !partial || item["type"] == "message");
    settled(items.filter(|item| !is_hollow(item)).collect())
}

/// Reasoning with neither text nor encrypted content.
fn is_hollow(item: &Value) -> bool {
    let text = item["content"][0]["text"].as_str();
    item["type"] == "reasoning" && item["encrypted_content"].is_null() && text.is_none()
}

/// Normalises items for comparison.
fn settled(mut items: Vec<Value>) -> Vec<Value> {
    for item in &mut items {
        let kind = item["type"].as_str().unwrap().to_owned();
        let fields = item.as_object_mut().unwrap();
        if ["message", "reasoning", "function_call"].contains(&kind.as_str()) {
            // `status` is always `completed`.
            fields.remove("status");
        }
        if kind == "reasoning" {
            // A missing list equals an empty one.
            fields.retain(|name, value| {
                !(name == "content" && *value == json!([]) || value.is_null())
            });
        }
        // Arguments are compared as JSON, regardless of white space.
        if let (true, Some(Value::String(text))) =
            (kind == "function_call", fields.get("arguments"))
        {
            let parsed = serde_json::from_str(text).unwrap();
            fields.insert("arguments".to_owned(), parsed);
        }
        // Annotations and log probabilities are not sent.
        for part in item["content"].as_array_mut().into_iter().flatten() {
            let part = part.as_object_mut().unwrap();
            part.remove("annotations");
            part.remove("logprobs");
            part.remove("content_filters");
        }
    }
    // These items stream in parallel; they go back in the order in which they were completed.
    items.sort_by_key(|item| match item["type"].as_str() {
        Some("mcp_list_tools") => item["id"].to_string(),
        _ => "~".to_owned(),
    });
    items
}
