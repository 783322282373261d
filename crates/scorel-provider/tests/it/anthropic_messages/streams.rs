use scorel_engine::ErrorCategory;
use scorel_proto::StopReason;
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use super::API;
use crate::collected::{Collected, ask_over};

/// A stream with these events between its start and its end.
fn stream(events: &[Value], stop_reason: &str) -> String {
    let begin = json!({"type": "message_start", "message": {
        "model": "m", "usage": {"input_tokens": 1, "output_tokens": 1},
    }});
    let stop = json!({"type": "message_delta", "delta": {"stop_reason": stop_reason}});
    let end = json!({"type": "message_stop"});
    let all = std::iter::once(&begin).chain(events).chain([&stop, &end]);
    all.map(|event| format!("data: {event}\n\n")).collect()
}

fn start(block: &Value) -> Value {
    json!({"type": "content_block_start", "index": 0, "content_block": block})
}

fn delta(delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": 0, "delta": delta})
}

fn stop() -> Value {
    json!({"type": "content_block_stop", "index": 0})
}

async fn answered(body: String) -> Collected {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::event_stream(body));
    ask_over(API, &server).await
}

#[tokio::test]
async fn arguments_that_come_with_the_start_count_unless_they_are_streamed() {
    let call = json!({"type": "tool_use", "id": "a", "name": "Read", "input": {"path": "a"}});
    let piece = json!({"type": "input_json_delta", "partial_json": "{\"path\":\"b\"}"});
    let got = answered(stream(&[start(&call), stop()], "tool_use")).await;
    assert_eq!(got.calls[0].arguments, "{\"path\":\"a\"}");
    let got = answered(stream(&[start(&call), delta(&piece), stop()], "tool_use")).await;
    assert_eq!(got.calls[0].arguments, "{\"path\":\"b\"}");
}

#[tokio::test]
async fn content_that_comes_with_the_start_is_not_lost() {
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "sig"});
    let text = json!({"type": "text", "text": "yes"});
    let got = answered(stream(&[start(&thinking), start(&text)], "end_turn")).await;
    assert_eq!((&*got.thinking, &*got.text), ("hm", "yes"));
    assert_eq!(got.kinds, ["thinking", "text"]);
    assert_eq!(got.thinking_meta[0]["signed"], true);
}

#[tokio::test]
async fn text_without_a_start_is_text() {
    let text = delta(&json!({"type": "text_delta", "text": "yes"}));
    let thinking = delta(&json!({"type": "thinking_delta", "thinking": "hm"}));
    let got = answered(stream(&[thinking, text], "end_turn")).await;
    assert_eq!(got.kinds, ["thinking", "text"]);
}

#[tokio::test]
async fn unknown_events_and_reasons_are_ignored() {
    let events = [
        json!({"type": "telemetry", "data": 1}),
        start(&json!({"type": "text", "text": ""})),
        delta(&json!({"type": "sparkle_delta", "sparkle": "*"})),
        delta(&json!({"type": "text_delta", "text": "yes"})),
        stop(),
    ];
    let got = answered(stream(&events, "because")).await;
    assert_eq!(got.text, "yes");
    assert_eq!(got.stop_reason(), StopReason::EndTurn);
}

#[tokio::test]
async fn the_reason_to_stop_fits_what_the_answer_holds() {
    let call = start(&json!({"type": "tool_use", "id": "a", "name": "Read", "input": {}}));
    let got = answered(stream(&[call], "end_turn")).await;
    assert_eq!(got.stop_reason(), StopReason::ToolUse);
    for (reason, expected) in [
        ("tool_use", StopReason::EndTurn),
        ("stop_sequence", StopReason::EndTurn),
        ("pause_turn", StopReason::Pause),
        ("refusal", StopReason::Refusal),
        ("sensitive", StopReason::ContentFilter),
        ("model_context_window_exceeded", StopReason::MaxTokens),
    ] {
        let got = answered(stream(&[], reason)).await;
        assert_eq!(got.stop_reason(), expected, "{reason}");
    }
}

#[tokio::test]
async fn an_end_without_a_reason_is_an_end_only_if_the_message_stops() {
    let text = delta(&json!({"type": "text_delta", "text": "yes"}));
    let stopped = json!({"type": "message_stop"});
    let got = answered(format!("data: {text}\n\ndata: {stopped}\n\n")).await;
    assert_eq!(got.stop_reason(), StopReason::EndTurn);
    let got = answered(format!("data: {text}\n\ndata: [DONE]\n\n")).await;
    assert_eq!(got.error().category, ErrorCategory::StreamTruncated);
    assert!(got.error().retryable);
}

#[tokio::test]
async fn failures_in_the_stream_are_told_apart() {
    for (kind, category, retryable) in [
        ("overloaded_error", ErrorCategory::Overloaded, true),
        ("api_error", ErrorCategory::ServerError, true),
        ("rate_limit_error", ErrorCategory::RateLimit, true),
        ("authentication_error", ErrorCategory::Auth, false),
        ("not_found_error", ErrorCategory::NotFound, false),
        (
            "invalid_request_error",
            ErrorCategory::InvalidRequest,
            false,
        ),
        ("billing_error", ErrorCategory::Quota, false),
    ] {
        let error = json!({"type": "error", "error": {"type": kind, "message": "No."}});
        let got = answered(format!("event: error\ndata: {error}\n\n")).await;
        let error = got.error();
        assert_eq!(
            (error.category, error.retryable),
            (category, retryable),
            "{kind}"
        );
    }
}
