//! Requests of the Messages API.

mod streams;
mod strict;

use scorel_engine::ThinkingLevel;
use scorel_provider::Timeouts;
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::json;

use crate::collected::{KEY, collect, provider_at, question};
use crate::replies::anthropic_says;

const API: &str = "anthropic-messages";

#[tokio::test]
async fn a_request_goes_to_its_path_with_its_key_and_version() {
    let server = ModelServer::start().await.unwrap();
    server.answer(anthropic_says("hello"));
    let provider = provider_at(API, &server.base_url(), Timeouts::default());
    let mut request = question();
    request.thinking = ThinkingLevel::Low;
    let got = collect(provider.stream(request)).await;
    assert_eq!(got.text, "hello");
    let usage = got.usage().unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (3, 2));
    let request = server.requests().remove(0);
    assert_eq!(request.path, "/v1/messages");
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(request.json()["thinking"]["type"], "enabled");
}

#[tokio::test]
async fn an_answer_is_whole_with_its_reason_and_cut_off_without() {
    let server = ModelServer::start().await.unwrap();
    let provider = provider_at(API, &server.base_url(), Timeouts::default());
    let event = |payload: serde_json::Value| format!("data: {payload}\n\n");
    let begun = event(json!({"type": "message_start", "message": {"model": "m"}}))
        + &event(json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": "yes"}}));
    let stopped = event(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}));
    server.answer(ScriptedResponse::event_stream(begun.clone()).cut());
    assert!(collect(provider.stream(question())).await.error().retryable);
    server.answer(ScriptedResponse::event_stream(begun + &stopped).cut());
    let got = collect(provider.stream(question())).await;
    assert_eq!(got.text, "yes");
    assert_eq!(got.stop_reason(), scorel_proto::StopReason::EndTurn);
}
