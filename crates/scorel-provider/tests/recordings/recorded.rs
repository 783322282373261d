//! Recorded responses give the expected results.

use std::time::Duration;

use scorel_engine::ErrorCategory;
use scorel_proto::StopReason;
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use crate::collected::{Collected, CollectedEnd, ask_over};
use crate::fixture::{self, Recording};

pub(crate) async fn streams_of_openai_completions_give_their_expected_results() {
    check_streams("openai-completions").await;
}

pub(crate) async fn failures_of_openai_completions_are_classified() {
    check_failures("openai-completions").await;
}

pub(crate) async fn streams_of_openai_responses_give_their_expected_results() {
    check_streams("openai-responses").await;
}

pub(crate) async fn failures_of_openai_responses_are_classified() {
    check_failures("openai-responses").await;
}

pub(crate) async fn streams_of_google_generative_ai_give_their_expected_results() {
    check_streams("google-generative-ai").await;
}

pub(crate) async fn failures_of_google_generative_ai_are_classified() {
    check_failures("google-generative-ai").await;
}

pub(crate) async fn streams_of_anthropic_messages_give_their_expected_results() {
    check_streams("anthropic-messages").await;
}

pub(crate) async fn failures_of_anthropic_messages_are_classified() {
    check_failures("anthropic-messages").await;
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

async fn replay(api: &str, fixture: &Recording, write_size: usize) -> Collected {
    let response = fixture.sidecar("response");
    let status = response["status"].as_u64().unwrap();
    let mut answer = ScriptedResponse::status(status.try_into().unwrap())
        .write(fixture.body.clone())
        .in_writes_of(write_size);
    for header in response["headers"].as_array().into_iter().flatten() {
        let (name, value) = (&header[0], &header[1]);
        // The server sets the transport headers itself.
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

fn check_stream(fixture: &Recording, got: &Collected) {
    let name = &fixture.name;
    let expected = fixture.sidecar("expected");
    let text = format!("{}{}", text(expected, "text"), text(expected, "refusal"));
    assert_eq!(got.text, text, "{name}");
    assert_eq!(got.thinking, text_of(&expected["thinking"]), "{name}");
    assert_eq!(kinds(got), expected_kinds(expected), "{name}");
    assert_eq!(calls(got), expected_calls(expected, got), "{name}");
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

fn check_error(fixture: &Recording, got: &Collected) {
    let Some(CollectedEnd::Error(error)) = &got.end else {
        panic!("{}: no error", fixture.name);
    };
    let expected = fixture.sidecar("expected_outcome");
    let category = match text_of(&expected["category"]) {
        "insufficient_quota" => ErrorCategory::Quota,
        category => serde_json::from_value(json!(category)).unwrap(),
    };
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
        "pause" => StopReason::Pause,
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

/// Opaque parts are stored as empty text blocks, which the recordings count differently:
/// neighbouring texts count once.
fn kinds(got: &Collected) -> Vec<&str> {
    let mut kinds = got.kinds.clone();
    kinds.dedup_by(|next, kind| next == kind && *kind == "text");
    kinds
}

fn expected_kinds(expected: &Value) -> Vec<&str> {
    let blocks = expected["blocks"].as_array().unwrap().iter();
    let shown = blocks.filter(|block| !is_left_out(block));
    let mut kinds: Vec<_> = shown
        .map(|block| match text_of(&block["type"]) {
            "refusal" | "other" => "text",
            "redacted_thinking" | "reasoning" => "thinking",
            kind => kind,
        })
        .collect();
    kinds.dedup_by(|next, kind| next == kind && *kind == "text");
    kinds
}

/// Whether a block has no counterpart in the reply.
fn is_left_out(block: &Value) -> bool {
    match text_of(&block["type"]) {
        "text" => block["text"] == "",
        // Anthropic's opaque blocks are stored with the message.
        "other" => block["part_keys"].is_null() && block["item_type"].is_null(),
        // Nothing to show and nothing to send back.
        "reasoning" => {
            let summary = block["summary_parts"].as_array();
            summary.is_none_or(Vec::is_empty)
                && block["reasoning_text"] == ""
                && block["encrypted_content"].is_null()
        }
        _ => false,
    }
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

/// Some APIs send no ids, or arguments as objects: then the ones we made are accepted.
fn expected_calls(expected: &Value, got: &Collected) -> Vec<Value> {
    let calls = expected["tool_calls"].as_array().unwrap().iter();
    let mut made = got.calls.iter();
    calls
        .map(|call| {
            let made = made.next();
            let made_id = made.map(|made| made.id.as_str());
            let made_id = made_id.filter(|id| !id.is_empty());
            let made_raw = made.map(|made| made.arguments.as_str());
            let raw = call["arguments_raw"].as_str();
            let parsed = match raw {
                Some(raw) if call["arguments_valid_json"] != true => arguments(raw),
                _ => call["arguments"].clone(),
            };
            let id = call["id"].as_str().or(made_id);
            json!([id, call["name"], raw.or(made_raw), parsed])
        })
        .collect()
}

/// Parsed like the engine does: an empty string is an empty object.
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
    if usage["total"].is_null() && number("input_total") + number("output_total") == 0 {
        // No usage was reported.
        return Value::Null;
    }
    json!([
        number("input_total"),
        number("cache_read"),
        number("cache_write"),
        number("output_total"),
        number("reasoning"),
    ])
}
