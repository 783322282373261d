//! Requests of the Responses API, and replies that no recording covers.

mod placeless;
mod strict;

use scorel_engine::ErrorCategory;
use scorel_proto::StopReason;
use scorel_provider::Timeouts;
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use crate::collected::{Collected, CollectedEnd, KEY, collect, provider_at, question};
use crate::replies::responses_says;

const API: &str = "openai-responses";

async fn answered(answer: ScriptedResponse) -> Collected {
    let server = ModelServer::start().await.unwrap();
    server.answer(answer);
    let provider = provider_at(API, &server.base_url(), Timeouts::default());
    collect(provider.stream(question())).await
}

fn stream(payloads: &[Value]) -> ScriptedResponse {
    let events = payloads
        .iter()
        .map(|payload| format!("data: {payload}\n\n"));
    ScriptedResponse::event_stream(events.collect::<String>())
}

fn completed() -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "model": "m"}})
}

fn added(place: u64, item: &Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": place, "item": item})
}

fn done(place: u64, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": place, "item": item})
}

fn call(arguments: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": "a", "name": "Read",
        "arguments": arguments})
}

fn arguments(place: u64, delta: &str) -> Value {
    json!({"type": "response.function_call_arguments.delta", "output_index": place,
        "delta": delta})
}

fn says_more(place: u64, delta: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": place, "content_index": 0,
        "delta": delta})
}

#[tokio::test]
async fn a_request_goes_to_its_path_with_its_key() {
    let server = ModelServer::start().await.unwrap();
    server.answer(responses_says("hello"));
    let provider = provider_at(API, &server.base_url(), Timeouts::default());
    let got = collect(provider.stream(question())).await;
    assert_eq!(got.text, "hello");
    assert_eq!(got.model.as_deref(), Some("m"));
    assert_eq!(got.usage().unwrap().output_tokens, 2);
    assert_eq!(got.stop_reason(), StopReason::EndTurn);
    let request = server.requests().remove(0);
    assert_eq!(request.path, "/v1/responses");
    let bearer = format!("Bearer {KEY}");
    assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    assert_eq!(request.json()["store"], false);
}

#[tokio::test]
async fn items_are_told_apart_by_their_places() {
    let got = answered(stream(&[
        added(0, &call("")),
        added(
            1,
            &json!({"type": "function_call", "call_id": "b", "name": "Glob"}),
        ),
        arguments(1, "{\"b\":"),
        arguments(0, "{\"a\":1}"),
        arguments(1, "2}"),
        completed(),
    ]))
    .await;
    let calls: Vec<_> = got
        .calls
        .iter()
        .map(|call| (call.id.as_str(), call.arguments.as_str()))
        .collect();
    assert_eq!(calls, [("a", "{\"a\":1}"), ("b", "{\"b\":2}")]);
    assert_eq!(got.stop_reason(), StopReason::ToolUse);
}

#[tokio::test]
async fn the_item_at_its_end_adds_what_the_pieces_left_out() {
    let message = json!({"type": "message", "id": "msg_1", "phase": "commentary",
        "content": [{"type": "output_text", "text": "I look."}]});
    let got = answered(stream(&[
        says_more(0, "I "),
        done(0, &message),
        added(1, &call("")),
        arguments(1, "{\"a\""),
        done(1, &call("{\"a\":1}")),
        completed(),
    ]))
    .await;
    assert_eq!(got.text, "I look.");
    assert_eq!(
        got.text_meta[0]["message"],
        json!({"id": "msg_1", "phase": "commentary"})
    );
    assert_eq!(got.calls[0].arguments, "{\"a\":1}");
}

#[tokio::test]
async fn a_call_that_never_ended_is_completed_by_the_response() {
    let mut end = completed();
    end["response"]["output"] = json!([call("{\"a\":1}")]);
    let got = answered(stream(&[added(0, &call("")), arguments(0, "{"), end])).await;
    assert_eq!(got.calls.len(), 1);
    assert_eq!(got.calls[0].arguments, "{\"a\":1}");
}

#[tokio::test]
async fn a_call_that_contradicts_its_pieces_is_a_failure() {
    let got = answered(stream(&[
        added(0, &call("")),
        arguments(0, "{\"path\":\"/tmp/a\"}"),
        done(0, &call("{\"path\":\"/tmp/b\"}")),
        completed(),
    ]))
    .await;
    assert_eq!(got.error().category, ErrorCategory::BadModelOutput);
    assert!(got.error().retryable);
    let spaced = answered(stream(&[
        added(0, &call("")),
        arguments(0, "{\"a\": 1}"),
        done(0, &call("{\"a\":1}")),
        completed(),
    ]))
    .await;
    assert_eq!(spaced.calls[0].arguments, "{\"a\": 1}");
}

#[tokio::test]
async fn a_call_without_id_or_name_is_not_lost() {
    let got = answered(stream(&[
        arguments(0, "{\"a\":"),
        arguments(0, "1}"),
        completed(),
    ]))
    .await;
    assert_eq!(got.calls[0].arguments, "{\"a\":1}");
    assert!(!got.calls[0].id.is_empty());
    assert_eq!(got.stop_reason(), StopReason::ToolUse);
}

#[tokio::test]
async fn hidden_reasoning_alone_is_nothing_to_show() {
    let item = json!({"type": "reasoning", "id": "rs_1", "summary": [],
        "encrypted_content": "xyz"});
    let got = answered(stream(&[done(0, &item)])).await;
    assert!(got.kinds.is_empty());
    assert!(got.error().retryable);
    let got = answered(stream(&[done(0, &item), says_more(1, "yes"), completed()])).await;
    assert_eq!(got.kinds, ["thinking", "text"]);
    let got = answered(stream(&[done(0, &item), completed()])).await;
    assert_eq!(got.kinds, ["thinking"]);
}

#[tokio::test]
async fn summaries_are_told_apart_by_empty_lines() {
    let piece = |place: u64, delta: &str| {
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0,
            "summary_index": place, "delta": delta})
    };
    let item = json!({"type": "reasoning", "id": "rs_1", "status": "completed", "summary": [
        {"type": "summary_text", "text": "one"}, {"type": "summary_text", "text": "two"},
    ], "encrypted_content": "xyz"});
    let got = answered(stream(&[
        piece(0, "o"),
        piece(0, "ne"),
        piece(1, "tw"),
        done(0, &item),
        completed(),
    ]))
    .await;
    assert_eq!(got.thinking, "one\n\ntwo");
    let mut kept = item;
    kept.as_object_mut().unwrap().remove("status");
    assert_eq!(got.thinking_meta[0]["reasoning"], kept);
}

#[tokio::test]
async fn a_response_that_is_incomplete_says_why() {
    for (reason, stop_reason) in [
        ("max_output_tokens", StopReason::MaxTokens),
        ("content_filter", StopReason::ContentFilter),
        ("something", StopReason::MaxTokens),
    ] {
        let end = json!({"type": "response.incomplete", "response": {
            "status": "incomplete", "incomplete_details": {"reason": reason},
            "usage": {"input_tokens": 5, "output_tokens": 4},
        }});
        let got = answered(stream(&[added(0, &call("")), arguments(0, "{\"a"), end])).await;
        assert_eq!(got.stop_reason(), stop_reason);
        assert_eq!(got.usage().unwrap().input_tokens, 5);
    }
}

#[tokio::test]
async fn failures_in_every_form_are_failures() {
    let flat = json!({"type": "error", "code": "rate_limit_exceeded",
        "message": "Try again in 2s"});
    let got = answered(stream(&[flat])).await;
    assert_eq!(got.error().category, ErrorCategory::RateLimit);
    assert_eq!(got.error().retry_after.unwrap().as_secs(), 2);
    for (code, category, retryable) in [
        ("server_error", ErrorCategory::ServerError, true),
        ("server_is_overloaded", ErrorCategory::Overloaded, true),
        ("slow_down", ErrorCategory::Overloaded, true),
        ("usage_not_included", ErrorCategory::Quota, false),
        ("invalid_prompt", ErrorCategory::InvalidRequest, false),
        ("image_parse_error", ErrorCategory::InvalidRequest, false),
    ] {
        let failed = json!({"type": "response.failed", "response": {"status": "failed",
            "error": {"code": code, "message": "no"}, "usage": null}});
        let got = answered(stream(&[says_more(0, "I "), failed])).await;
        assert_eq!(got.error().category, category, "{code}");
        assert_eq!(got.error().retryable, retryable, "{code}");
    }
    let cancelled = json!({"type": "response.cancelled", "response": {"status": "cancelled"}});
    assert!(answered(stream(&[cancelled])).await.error().retryable);
    let whole = json!({"object": "response", "status": "failed", "output": [],
        "error": {"code": "context_length_exceeded", "message": "no"}});
    let got = answered(ScriptedResponse::json(200, whole.to_string())).await;
    assert_eq!(got.error().category, ErrorCategory::ContextOverflow);
}

#[tokio::test]
async fn the_end_of_the_stream_alone_is_not_the_end_of_the_answer() {
    let body = format!("data: {}\n\ndata: [DONE]\n\n", says_more(0, "I beg"));
    let got = answered(ScriptedResponse::event_stream(body)).await;
    assert_eq!(got.error().category, ErrorCategory::StreamTruncated);
    assert_eq!(got.text, "I beg");
    let nothing = answered(ScriptedResponse::event_stream("data: [DONE]\n\n")).await;
    assert!(nothing.error().retryable);
}

#[tokio::test]
async fn what_breaks_after_the_end_of_the_answer_does_not_matter() {
    let got = answered(stream(&[says_more(0, "yes"), completed()]).cut()).await;
    assert_eq!(got.text, "yes");
    assert_eq!(got.stop_reason(), StopReason::EndTurn);
}

#[tokio::test]
async fn an_item_that_expects_a_result_from_the_client_is_not_kept() {
    let shell = json!({"type": "local_shell_call", "call_id": "x", "action": {}});
    let search = json!({"type": "web_search_call", "id": "ws_1"});
    let got = answered(stream(&[done(0, &shell), done(1, &search), completed()])).await;
    let kept: Vec<_> = got.text_meta.iter().map(|meta| &meta["item"]).collect();
    assert_eq!(kept, [&search]);
    assert!(matches!(
        got.end,
        Some(CollectedEnd::Done { provider: None, .. })
    ));
}
