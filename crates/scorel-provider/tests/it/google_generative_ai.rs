//! Hand-written Gemini streams, and what goes back.

mod passback;

use scorel_engine::ErrorCategory;
use scorel_proto::StopReason;
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use crate::collected::{Collected, KEY, ask_over};
use crate::gemini_turn::{API, events, stream};

async fn answered(answer: ScriptedResponse) -> Collected {
    let server = ModelServer::start().await.unwrap();
    server.answer(answer);
    ask_over(API, &server).await
}

async fn streamed(parts: &[Value], reason: &str) -> Collected {
    answered(stream(&events(parts, reason))).await
}

#[tokio::test]
async fn the_key_goes_into_its_own_header() {
    let server = ModelServer::start().await.unwrap();
    server.answer(stream(&events(&[json!({"text": "yes"})], "STOP")));
    let got = ask_over(API, &server).await;
    assert_eq!(got.text, "yes");
    let usage = got.usage().unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (3, 3));
    let request = &server.requests()[0];
    assert_eq!(request.header("x-goog-api-key"), Some(KEY));
    assert_eq!(request.header("authorization"), None);
}

#[tokio::test]
async fn arguments_in_pieces_are_joined_by_their_paths() {
    let piece =
        |piece: Value| json!({"functionCall": {"partialArgs": [piece], "willContinue": true}});
    let got = streamed(
        &[
            json!({"functionCall": {"name": "Edit", "willContinue": true}}),
            piece(json!({"jsonPath": "$.edits[0].old", "stringValue": "a", "willContinue": true})),
            piece(json!({"jsonPath": "$.edits[0].old", "stringValue": "b"})),
            piece(json!({"jsonPath": "$.edits[0].line", "numberValue": 7})),
            json!({"functionCall": {"willContinue": true}}),
            piece(json!({"jsonPath": "$.all", "boolValue": false})),
            piece(json!({"jsonPath": "$.note", "nullValue": "NULL_VALUE"})),
            json!({"functionCall": {"name": "Read", "args": {"path": "x"}}}),
        ],
        "STOP",
    )
    .await;
    assert_eq!(got.kinds, ["tool_call", "tool_call"]);
    let arguments: Value = serde_json::from_str(&got.calls[0].arguments).unwrap();
    let expected = json!({"edits": [{"old": "ab", "line": 7}], "all": false, "note": null});
    assert_eq!(arguments, expected);
    assert_eq!(got.calls[1].arguments, "{\"path\":\"x\"}");
    assert_ne!(got.calls[0].id, got.calls[1].id);
    assert_eq!(got.stop_reason(), StopReason::ToolUse);
}

#[tokio::test]
async fn a_call_that_is_still_open_counts_only_if_the_model_had_finished() {
    let open = json!({"functionCall": {
        "name": "Edit",
        "partialArgs": [{"jsonPath": "$.old", "stringValue": "a"}],
        "willContinue": true,
    }});
    let got = streamed(std::slice::from_ref(&open), "STOP").await;
    assert_eq!(got.calls[0].arguments, "{\"old\":\"a\"}");
    let got = streamed(&[json!({"text": "so"}), open], "MAX_TOKENS").await;
    assert_eq!(got.kinds, ["text"]);
    assert_eq!(got.stop_reason(), StopReason::MaxTokens);
}

#[tokio::test]
async fn pieces_that_contradict_each_other_are_a_failure_worth_a_retry() {
    let pieces = json!([
        {"jsonPath": "$.a", "stringValue": "x"},
        {"jsonPath": "$.a.b", "stringValue": "x"},
    ]);
    let call = json!({"functionCall": {"name": "Edit", "partialArgs": pieces}});
    let got = streamed(&[call], "STOP").await;
    assert_eq!(got.error().category, ErrorCategory::BadModelOutput);
    assert!(got.error().retryable);
}

#[tokio::test]
async fn an_error_after_the_reason_to_stop_is_a_failure() {
    let mut body = String::new();
    for event in events(&[json!({"text": "Ok"})], "STOP") {
        body.push_str(&format!("data: {event}\r\n\r\n"));
    }
    let error = json!({"error": {"code": 503, "status": "UNAVAILABLE", "message": "too much"}});
    let pretty = serde_json::to_string_pretty(&error).unwrap();
    let framed = format!("{body}data: {error}\r\n\r\n");
    let bare = format!("{body}{pretty}");
    let cut = format!("{body}{}", &pretty[..20]);
    for (body, category) in [
        (framed, ErrorCategory::Overloaded),
        (bare, ErrorCategory::Overloaded),
        (cut, ErrorCategory::ServerError),
    ] {
        let got = answered(ScriptedResponse::event_stream(body)).await;
        assert_eq!(got.error().category, category);
        assert!(got.error().retryable);
        assert_eq!(got.text, "Ok");
    }
}

#[tokio::test]
async fn a_list_in_place_of_a_stream_is_understood() {
    let list = json!(events(
        &[json!({"text": "hel"}), json!({"text": "lo"})],
        "STOP"
    ));
    let pretty = serde_json::to_string_pretty(&list).unwrap();
    let got = answered(ScriptedResponse::json(200, pretty)).await;
    assert_eq!(got.text, "hello");
    assert_eq!(got.stop_reason(), StopReason::EndTurn);
    let refused = json!([{"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}]);
    let got = answered(ScriptedResponse::json(400, refused.to_string())).await;
    assert_eq!(got.error().category, ErrorCategory::InvalidRequest);
}

#[tokio::test]
async fn a_reason_that_is_no_end_is_a_failure_in_the_endpoints_words() {
    let mut events = events(&[], "MALFORMED_FUNCTION_CALL");
    events[0]["candidates"][0]["finishMessage"] = json!("print(");
    let got = answered(stream(&events)).await;
    assert_eq!(got.error().category, ErrorCategory::BadModelOutput);
    assert!(got.error().retryable);
    assert!(got.error().message.contains("print("), "{:?}", got.error());
    let got = streamed(&[], "MISSING_THOUGHT_SIGNATURE").await;
    assert!(!got.error().retryable);
}

#[tokio::test]
async fn other_reasons_are_ends() {
    for (reason, expected) in [
        ("SAFETY", StopReason::ContentFilter),
        ("IMAGE_SAFETY", StopReason::ContentFilter),
        ("MAX_TOKENS", StopReason::MaxTokens),
        ("BECAUSE", StopReason::EndTurn),
    ] {
        let got = streamed(&[json!({"text": "so"})], reason).await;
        assert_eq!(got.stop_reason(), expected, "{reason}");
    }
}
