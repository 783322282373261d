//! Recorded responses give what they should.

use std::time::Duration;

use scorel_proto::StopReason;
use scorel_runtime::ErrorCategory;
use scorel_testkit::{Answer, ModelServer};
use serde_json::{Value, json};

use crate::collected::{Collected, End, ask_over};
use crate::fixture::{self, Fixture};

#[tokio::test]
async fn streams_of_openai_completions_give_their_expected_results() {
    check_streams("openai-completions").await;
}

#[tokio::test]
async fn failures_of_openai_completions_are_classified() {
    check_failures("openai-completions").await;
}

async fn check_streams(api: &str) {
    for fixture in fixture::load(api, "sse") {
        for write_size in [usize::MAX, 997] {
            check_stream(&fixture, &replay(api, &fixture, write_size).await);
        }
    }
}

async fn check_failures(api: &str) {
    for fixture in fixture::load(api, "body") {
        let collected = replay(api, &fixture, usize::MAX).await;
        check_error(&fixture, &collected);
        let status = fixture.sidecar("response")["status"].as_u64();
        assert_eq!(collected.error().status.map(u64::from), status);
    }
}

async fn replay(api: &str, fixture: &Fixture, write_size: usize) -> Collected {
    let response = fixture.sidecar("response");
    let status = response["status"].as_u64().unwrap();
    let mut answer = Answer::status(status.try_into().unwrap())
        .write(fixture.body.clone())
        .in_writes_of(write_size);
    for header in response["headers"].as_array().into_iter().flatten() {
        let (name, value) = (&header[0], &header[1]);
        // Those of the transport are the server's own.
        let name = name.as_str().unwrap().to_ascii_lowercase();
        if ![
            "content-length",
            "transfer-encoding",
            "connection",
            "content-encoding",
        ]
        .contains(&name.as_str())
        {
            answer = answer.header(name, value.as_str().unwrap());
        }
    }
    let server = ModelServer::start().await.unwrap();
    server.answer(answer);
    ask_over(api, &server).await
}

fn check_stream(fixture: &Fixture, got: &Collected) {
    let name = &fixture.name;
    let expected = fixture.sidecar("expected");
    let text = format!("{}{}", text(expected, "text"), text(expected, "refusal"));
    assert_eq!(got.text, text, "{name}");
    assert_eq!(got.thinking, text_of(&expected["thinking"]), "{name}");
    assert_eq!(kinds(got), expected_kinds(expected), "{name}");
    assert_eq!(calls(got), expected_calls(expected), "{name}");
    assert_eq!(usage(got), expected_usage(expected), "{name}");
    if !expected["model"].is_null() && !got.kinds.is_empty() {
        assert_eq!(json!(got.model), expected["model"], "{name}");
    }
    if fixture.sidecar("expected_outcome")["kind"] == "error" {
        check_error(fixture, got);
    } else {
        assert_eq!(got.stop_reason(), stop_reason(expected), "{name}");
    }
}

fn check_error(fixture: &Fixture, got: &Collected) {
    let Some(End::Error(error)) = &got.end else {
        panic!("{}: no error", fixture.name);
    };
    let expected = fixture.sidecar("expected_outcome");
    let category: ErrorCategory = serde_json::from_value(expected["category"].clone()).unwrap();
    assert_eq!(error.category, category, "{}: {error:?}", fixture.name);
    assert_eq!(
        error.retryable, expected["retryable"],
        "{}: {error:?}",
        fixture.name
    );
    let retry_after = expected["retry_after_ms"]
        .as_u64()
        .map(Duration::from_millis);
    assert_eq!(
        error.retry_after, retry_after,
        "{}: {error:?}",
        fixture.name
    );
    if let Some(message) = fixture.sidecar("expected")["error"]["message"].as_str() {
        assert!(
            error.message.contains(message),
            "{}: {error:?}",
            fixture.name
        );
    }
}

fn stop_reason(expected: &Value) -> StopReason {
    match expected["stop_reason"].as_str().unwrap() {
        "stop" => StopReason::EndTurn,
        "length" => StopReason::MaxTokens,
        "tool_use" => StopReason::ToolUse,
        "refusal" => StopReason::Refusal,
        "content_filter" => StopReason::ContentFilter,
        other => panic!("unknown stop reason {other}"),
    }
}

fn text<'a>(expected: &'a Value, field: &str) -> &'a str {
    text_of(&expected[field])
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn kinds(got: &Collected) -> Vec<&str> {
    got.kinds.clone()
}

fn expected_kinds(expected: &Value) -> Vec<&str> {
    let blocks = expected["blocks"].as_array().unwrap().iter();
    blocks
        .map(|block| match text_of(&block["type"]) {
            "refusal" => "text",
            kind => kind,
        })
        .collect()
}

fn calls(got: &Collected) -> Vec<Value> {
    let calls = got.calls.iter();
    calls
        .map(|call| {
            json!([
                call.id,
                call.name,
                call.arguments,
                arguments(&call.arguments)
            ])
        })
        .collect()
}

fn expected_calls(expected: &Value) -> Vec<Value> {
    let calls = expected["tool_calls"].as_array().unwrap().iter();
    calls
        .map(|call| {
            let raw = text_of(&call["arguments_raw"]);
            let parsed = if call["arguments_valid_json"] == true {
                call["arguments"].clone()
            } else {
                arguments(raw)
            };
            json!([call["id"], call["name"], raw, parsed])
        })
        .collect()
}

/// As the engine reads them: nothing means an empty object.
fn arguments(raw: &str) -> Value {
    let text = if raw.trim().is_empty() { "{}" } else { raw };
    serde_json::from_str(text).unwrap_or(Value::Null)
}

fn usage(got: &Collected) -> Value {
    got.usage().map_or(Value::Null, |usage| {
        json!([
            usage.input_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.output_tokens,
            usage.reasoning_tokens,
        ])
    })
}

fn expected_usage(expected: &Value) -> Value {
    let usage = &expected["usage"];
    if usage.is_null() {
        return Value::Null;
    }
    let number = |field: &str| usage[field].as_u64().unwrap_or(0);
    json!([
        number("input_total"),
        number("cache_read"),
        number("cache_write"),
        number("output_total"),
        number("reasoning"),
    ])
}
