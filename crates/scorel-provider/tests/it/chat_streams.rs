//! Hand-written streams, one for each deviation of chat-completions hosts.

use scorel_engine::ErrorCategory;
use scorel_proto::{
    AssistantMessage, Block, Message, Meta, StopReason, ToolResultBlock, ToolResultMessage,
};
use scorel_provider::Timeouts;
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use crate::collected::{Collected, CollectedEnd, ask, collect, provider, question};

async fn answered(answer: impl Into<ScriptedResponse>) -> Collected {
    let server = ModelServer::start().await.unwrap();
    server.answer(answer);
    ask(&server).await
}

fn calls(deltas: &[Value]) -> ScriptedResponse {
    let chat = deltas.iter().fold(ScriptedResponse::chat(), |chat, delta| {
        chat.delta(&json!({"tool_calls": [delta]}))
    });
    chat.finish("tool_calls").into()
}

#[tokio::test]
async fn text_thinking_calls_and_usage_arrive() {
    let answer = ScriptedResponse::chat()
        .thinking("hm")
        .text("Let me ")
        .text("look.")
        .tool_call("call_1", "Glob", "{\"pattern\":\"*\"}")
        .finish("tool_calls")
        .usage(12, 5);
    let got = answered(answer).await;
    assert_eq!(got.model.as_deref(), Some("test-model"));
    assert_eq!(got.kinds, ["thinking", "text", "tool_call"]);
    assert_eq!(
        (got.thinking.as_str(), got.text.as_str()),
        ("hm", "Let me look.")
    );
    assert_eq!(got.calls[0].name, "Glob");
    assert_eq!(got.stop_reason(), StopReason::ToolUse);
    let usage = got.usage().unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (12, 5));
    assert_eq!(got.thinking_meta[0]["field"], "reasoning_content");
}

#[tokio::test]
async fn interleaved_calls_are_kept_apart_by_their_index() {
    let got = answered(calls(&[
        json!({"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{\"p\":"}}),
        json!({"index": 1, "id": "b", "function": {"name": "Glob", "arguments": "{\"q\":"}}),
        json!({"index": 0, "function": {"arguments": "1}"}}),
        json!({"index": 1, "id": "b", "function": {"name": "Glob", "arguments": "2}"}}),
    ]))
    .await;
    let arguments: Vec<_> = got
        .calls
        .iter()
        .map(|call| call.arguments.as_str())
        .collect();
    assert_eq!(arguments, ["{\"p\":1}", "{\"q\":2}"]);
}

#[tokio::test]
async fn a_new_id_under_a_used_index_is_a_new_call() {
    let got = answered(calls(&[
        json!({"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{}"}}),
        json!({"index": 0, "id": "b", "function": {"name": "Glob", "arguments": "{}"}}),
    ]))
    .await;
    let ids: Vec<_> = got.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
}

#[tokio::test]
async fn calls_without_index_or_id_are_told_apart_by_their_names() {
    let got = answered(calls(&[
        json!({"function": {"name": "Read", "arguments": "{\"a\":"}}),
        json!({"function": {"arguments": "1}"}}),
        json!({"function": {"name": "Glob", "arguments": {"b": 2}}}),
    ]))
    .await;
    assert_eq!(got.calls.len(), 2);
    assert_eq!(got.calls[0].arguments, "{\"a\":1}");
    assert_eq!(got.calls[1].arguments, "{\"b\":2}");
    assert!(!got.calls[0].id.is_empty());
    assert_ne!(got.calls[0].id, got.calls[1].id);
}

/// Some servers count the pieces, not the calls, or begin to count anew.
#[tokio::test]
async fn a_piece_whose_index_names_no_call_belongs_to_the_call_that_is_streamed() {
    let part = |index: u64, id: Option<&str>, name: &str, arguments: &str| {
        let function = json!({"name": name, "arguments": arguments});
        json!({"index": index, "id": id, "function": function})
    };
    let begin = |index, id, arguments| part(index, Some(id), "Read", arguments);
    let piece = |index, arguments| part(index, None, "", arguments);
    let with_id = |index, id, arguments| part(index, Some(id), "", arguments);
    for pieces in [
        vec![
            begin(0, "a", ""),
            piece(0, "{\"p\":1}"),
            begin(0, "b", ""),
            piece(1, "{\"q\":2}"),
        ],
        vec![
            begin(0, "a", "{\"p\""),
            piece(1, ":1"),
            piece(2, "}"),
            begin(3, "b", "{"),
            piece(4, "\"q\":2}"),
        ],
        vec![
            begin(0, "a", "{\"p\""),
            begin(1, "b", "{\"q\""),
            with_id(2, "a", ":1}"),
            with_id(3, "b", ":2}"),
        ],
    ] {
        let got = answered(calls(&pieces)).await;
        let calls = got.calls.iter();
        let calls = calls.map(|call| format!("{} {} {}", call.id, call.name, call.arguments));
        let calls: Vec<_> = calls.collect();
        let expected = ["a Read {\"p\":1}", "b Read {\"q\":2}"];
        assert_eq!(calls, expected, "{pieces:?}");
    }
}

#[tokio::test]
async fn a_second_call_with_the_same_id_gets_another() {
    let got = answered(calls(&[
        json!({"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{}"}}),
        json!({"index": 1, "id": "a", "function": {"name": "Read", "arguments": "{}"}}),
    ]))
    .await;
    assert_eq!(got.calls[0].id, "a");
    assert_ne!(got.calls[1].id, "a");
}

#[tokio::test]
async fn a_late_name_keeps_earlier_arguments() {
    let got = answered(calls(&[
        json!({"index": 0, "id": "a", "function": {"arguments": "{\"a\":"}}),
        json!({"index": 0, "function": {"name": "Read", "arguments": "1}"}}),
    ]))
    .await;
    assert_eq!(got.calls[0].name, "Read");
    assert_eq!(got.calls[0].arguments, "{\"a\":1}");
}

#[tokio::test]
async fn stop_with_calls_means_tool_use() {
    let chat = ScriptedResponse::chat()
        .tool_call("a", "Read", "{}")
        .finish("stop");
    assert_eq!(answered(chat).await.stop_reason(), StopReason::ToolUse);
    let chat = ScriptedResponse::chat().text("done").finish("tool_calls");
    assert_eq!(answered(chat).await.stop_reason(), StopReason::EndTurn);
}

#[tokio::test]
async fn a_refusal_is_text_and_a_reason() {
    let chat = ScriptedResponse::chat()
        .delta(&json!({"refusal": "No."}))
        .finish("stop");
    let got = answered(chat).await;
    assert_eq!(got.text, "No.");
    assert_eq!(got.stop_reason(), StopReason::Refusal);
}

#[tokio::test]
async fn an_unknown_reason_to_stop_is_an_end() {
    let chat = ScriptedResponse::chat().text("ok").finish("because");
    assert_eq!(answered(chat).await.stop_reason(), StopReason::EndTurn);
}

#[tokio::test]
async fn a_full_window_is_an_overflow() {
    let chat = ScriptedResponse::chat()
        .text("ok")
        .finish("model_context_window_exceeded");
    let got = answered(chat).await;
    assert_eq!(got.error().category, ErrorCategory::ContextOverflow);
    assert!(!got.error().retryable);
}

#[tokio::test]
async fn a_whole_message_in_place_of_a_stream_is_understood() {
    let body = json!({
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "content": "hello",
        }}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    });
    let pretty = serde_json::to_string_pretty(&body).unwrap();
    let got = answered(ScriptedResponse::json(200, pretty)).await;
    assert_eq!(got.text, "hello");
    assert_eq!(got.usage().unwrap().output_tokens, 2);
}

#[tokio::test]
async fn a_failure_with_a_good_status_is_a_failure() {
    let body = r#"{"error":{"message":"maximum context length is 4096 tokens","code":400}}"#;
    let got = answered(ScriptedResponse::json(200, body)).await;
    assert_eq!(got.error().category, ErrorCategory::ContextOverflow);
    let words = answered(ScriptedResponse::json(
        200,
        r#"{"object":"error","message":"broken"}"#,
    ))
    .await;
    assert!(words.error().message.contains("broken"));
}

#[tokio::test]
async fn a_rate_limit_in_the_stream_keeps_its_wait() {
    let frame =
        r#"{"error":{"message":"Try again in 2s","type":"tokens","code":"rate_limit_exceeded"}}"#;
    let body = format!("data: {frame}\n\n");
    let got = answered(ScriptedResponse::event_stream(body)).await;
    assert_eq!(got.error().category, ErrorCategory::RateLimit);
    assert_eq!(got.error().retry_after.unwrap().as_secs(), 2);
}

#[tokio::test]
async fn an_event_that_is_not_json_is_a_failure_worth_a_retry() {
    let got = answered(ScriptedResponse::event_stream("data: {oops\n\n")).await;
    assert_eq!(got.error().category, ErrorCategory::ServerError);
    assert!(got.error().retryable);
}

#[tokio::test]
async fn reasoning_details_come_back_in_the_next_request() {
    let detail = json!({"type": "reasoning.encrypted", "data": "x", "id": "a", "index": 0});
    let server = ModelServer::start().await.unwrap();
    server.answer(
        ScriptedResponse::chat()
            .delta(&json!({"reasoning_details": [detail]}))
            .tool_call("a", "Read", "{}")
            .finish("tool_calls"),
    );
    server.answer(ScriptedResponse::chat().text("done").finish("stop"));
    let provider = provider(&server, Timeouts::default());
    let mut request = question();
    let got = collect(provider.stream(request.clone())).await;
    let Some(CollectedEnd::Done { provider: kept, .. }) = got.end else {
        panic!("no end");
    };
    let meta = Meta {
        provider: kept,
        ..Meta::default()
    };
    request.messages.push(called(meta));
    request.messages.push(result());
    collect(provider.stream(request)).await;
    let sent = server.requests()[1].json();
    assert_eq!(sent["messages"][1]["reasoning_details"], json!([detail]));
}

fn called(meta: Meta) -> Message {
    let call = Block::ToolUse {
        id: "a".to_owned(),
        name: "Read".to_owned(),
        input: json!({}),
        invalid_input: None,
        provider: None,
    };
    Message::Assistant(AssistantMessage {
        content: vec![call],
        model: "model-1".to_owned(),
        stop_reason: StopReason::ToolUse,
        usage: None,
        cost: None,
        partial: false,
        meta,
    })
}

fn result() -> Message {
    let result = ToolResultBlock::error("a", "no such file");
    Message::ToolResult(ToolResultMessage::new("Read", result, 1))
}

#[tokio::test]
async fn a_character_split_over_two_chunks_is_joined() {
    let chunk =
        |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{{delta}}}}}]}}\n\n");
    let call = |arguments: &str| {
        let call = format!(
            "{{\"index\":0,\"id\":\"a\",\"function\":{{\"name\":\"Read\",\"arguments\":\"{arguments}\"}}}}"
        );
        chunk(&format!("\"tool_calls\":[{call}]"))
    };
    let body = [
        chunk(r#""content":"so \ud83d""#),
        ": alive\n\n".to_owned(),
        chunk(r#""content":"\ude00 good""#),
        call(r#"{\"a\":\"\uD83D"#),
        call(r#"\uDE00\"}"#),
    ]
    .concat();
    let end =
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
    let got = answered(ScriptedResponse::event_stream(body + end)).await;
    assert_eq!(got.text, "so \u{1F600} good");
    assert_eq!(got.calls[0].arguments, "{\"a\":\"\u{1F600}\"}");
}
