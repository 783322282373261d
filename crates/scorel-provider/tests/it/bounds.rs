//! Replies that would take much more memory than they have bytes.

use scorel_engine::{ErrorCategory, MAX_FOREIGN_VALUES};
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::json;

use crate::collected::{CollectedEnd, ask_over};

/// Each API, and the event that holds a part of its reply.
const WIRES: [(&str, &str); 4] = [
    (
        "openai-completions",
        r#"{"choices":[{"index":0,"delta":{"reasoning_details":PART}}]}"#,
    ),
    (
        "openai-responses",
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"x","y":PART}}"#,
    ),
    (
        "anthropic-messages",
        r#"{"type":"content_block_start","content_block":{"type":"server_tool_use","input":PART}}"#,
    ),
    (
        "google-generative-ai",
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":PART}}]}}]}"#,
    ),
];

#[tokio::test]
async fn an_event_of_too_many_values_is_an_error_on_every_wire() {
    let many = MAX_FOREIGN_VALUES;
    let parts = [
        format!("[{}0]", "0,".repeat(many)),
        format!("[{}0]", "[],".repeat(many)),
        format!("[{}0]", "{},".repeat(many)),
        format!("[{}0]", "\"\",".repeat(many)),
        format!("[{}0]", "-1.5e300,".repeat(many)),
        format!("[{}0]", "{\"a\":0},".repeat(many)),
        format!(
            "[{}0]",
            "{\"type\":\"text\",\"text\":\"x\"},".repeat(many / 2)
        ),
        format!("{{{}\"z\":0}}", "\"a\":0,".repeat(many)),
        format!(
            "{{{}\"z\":0}}",
            (0..many)
                .map(|n| format!("\"k{n}\":0,"))
                .collect::<String>()
        ),
        format!("[{}0]", "[[0],[0]],".repeat(many / 4)),
        format!("{}0{}", "[".repeat(129), "]".repeat(129)),
        "{\"a\":".repeat(129) + "0" + &"}".repeat(129),
    ];
    for (api, event) in WIRES {
        let server = ModelServer::start().await.unwrap();
        for part in &parts {
            let data = event.replace("PART", part);
            server.answer(ScriptedResponse::event_stream(format!("data: {data}\n\n")));
            let got = ask_over(api, &server).await;
            assert_eq!(
                got.error().category,
                ErrorCategory::ServerError,
                "{api} {part:.20}"
            );
            assert!(
                got.error().message.contains("not valid JSON"),
                "{}",
                got.error().message
            );
        }
    }
}

/// Events of which each adds to what is kept of a reply beside its text, after one that begins.
const KEPT: [(&str, &str, &str); 18] = [
    (
        "openai-completions",
        "",
        r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":VALUES}]}}]}"#,
    ),
    (
        "openai-completions",
        "",
        r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":TEXT}]}}]}"#,
    ),
    (
        "openai-completions",
        "",
        r#"{"choices":[{"delta":{"extra_content":VALUES}}]}"#,
    ),
    (
        "openai-completions",
        "",
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"extra_content":VALUES}]}}]}"#,
    ),
    (
        "openai-completions",
        "",
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":TEXT}}]}}]}"#,
    ),
    (
        "openai-responses",
        "",
        r#"{"type":"response.output_item.done","item":{"type":"x","y":VALUES}}"#,
    ),
    (
        "openai-responses",
        "",
        r#"{"type":"response.output_item.done","item":{"type":"reasoning","encrypted_content":"x","y":VALUES}}"#,
    ),
    (
        "openai-responses",
        "",
        r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":TEXT}"#,
    ),
    (
        "anthropic-messages",
        r#"{"type":"content_block_start","content_block":{"type":"text","text":"a"}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"citations_delta","citation":{"a":VALUES}}}"#,
    ),
    (
        "anthropic-messages",
        r#"{"type":"content_block_start","content_block":{"type":"thinking","thinking":"a"}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"signature_delta","signature":TEXT}}"#,
    ),
    (
        "anthropic-messages",
        "{}",
        r#"{"type":"content_block_start","content_block":{"type":"x","y":VALUES}}"#,
    ),
    (
        "anthropic-messages",
        r#"{"type":"content_block_start","content_block":{"type":"compaction","content":"a"}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"compaction_delta","content":TEXT}}"#,
    ),
    (
        "anthropic-messages",
        r#"{"type":"content_block_start","content_block":{"type":"x"}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":TEXT}}"#,
    ),
    (
        "anthropic-messages",
        "{}",
        r#"{"type":"content_block_start","content_block":{"type":"redacted_thinking","data":TEXT}}"#,
    ),
    (
        "google-generative-ai",
        "",
        r#"{"candidates":[{"content":{"parts":[{"executableCode":{"code":VALUES}}]}}]}"#,
    ),
    (
        "google-generative-ai",
        "",
        r#"{"candidates":[{"content":{"parts":[{"text":"a","thoughtSignature":TEXT}]}}]}"#,
    ),
    (
        "google-generative-ai",
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"willContinue":true,"partialArgs":[{"jsonPath":"$.a","stringValue":TEXT}]}}]}}]}"#,
    ),
    (
        "google-generative-ai",
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"willContinue":true,"partialArgs":[{"jsonPath":"$.a","numberValue":VALUES}]}}]}}]}"#,
    ),
];

#[tokio::test]
async fn what_is_kept_of_a_reply_beside_its_text_is_limited_on_every_wire() {
    let values = format!("[{}0]", "0,".repeat(8_000));
    let text = format!("\"{}\"", "x".repeat(3 << 20));
    for (api, first, event) in KEPT {
        let server = ModelServer::start().await.unwrap();
        let data = event.replace("VALUES", &values).replace("TEXT", &text);
        let events = format!("data: {data}\n\n").repeat(if data.len() > 1 << 20 { 7 } else { 25 });
        let body = format!("data: {first}\n\n{events}");
        server.answer(ScriptedResponse::event_stream(body));
        let got = ask_over(api, &server).await;
        let error = got.error();
        assert_eq!(error.category, ErrorCategory::ServerError, "{event}");
        assert!(
            !error.retryable && error.message.contains("beside its text"),
            "{event}: {error}"
        );
    }
}

#[tokio::test]
async fn the_parts_of_a_reply_are_limited_on_every_wire() {
    for (api, event) in [
        (
            "openai-completions",
            r#"{"choices":[{"delta":{"tool_calls":[{"index":N,"id":"cN","function":{"name":"f"}}]}}]}"#,
        ),
        (
            "openai-completions",
            r#"{"choices":[{"delta":{"tool_calls":[{"index":N,"id":"cN"}]}}]}"#,
        ),
        (
            "openai-completions",
            r#"{"choices":[{"delta":{"content":"a","reasoning":"b"}}]}"#,
        ),
        (
            "openai-responses",
            r#"{"type":"response.output_item.added","output_index":N,"item":{"type":"x"}}"#,
        ),
        (
            "openai-responses",
            r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":N,"delta":"x"}"#,
        ),
        (
            "anthropic-messages",
            r#"{"type":"content_block_start","content_block":{"type":"x"}}"#,
        ),
        (
            "google-generative-ai",
            r#"{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b","thought":true}]}}]}"#,
        ),
    ] {
        let server = ModelServer::start().await.unwrap();
        let data = |n: usize| format!("data: {}\n\n", event.replace('N', &n.to_string()));
        server.answer(ScriptedResponse::event_stream(
            (0..5_000).map(data).collect::<String>(),
        ));
        let got = ask_over(api, &server).await;
        let message = &got.error().message;
        assert!(
            message.contains("more than 4096 parts"),
            "{event}: {message}"
        );
    }
}

#[tokio::test]
async fn a_path_of_many_steps_is_a_contradiction() {
    for step in [".a", "[0]", "['a']"] {
        for (steps, is_taken) in [(64, true), (65, false), (50_000, false)] {
            let server = ModelServer::start().await.unwrap();
            let path = format!("${}", step.repeat(steps));
            let arguments = json!([{"jsonPath": path, "stringValue": "x"}]);
            let call = json!({"functionCall": {"name": "f", "args": if step == "[0]" { json!(null) } else { json!({}) }, "partialArgs": arguments}});
            let data =
                json!({"candidates": [{"content": {"parts": [call]}, "finishReason": "STOP"}]});
            server.answer(ScriptedResponse::event_stream(format!("data: {data}\n\n")));
            let got = ask_over("google-generative-ai", &server).await;
            if is_taken && step != "[0]" {
                assert_eq!(got.calls.len(), 1, "{path}");
            } else {
                assert_eq!(
                    got.error().category,
                    ErrorCategory::BadModelOutput,
                    "{path}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_block_that_is_no_object_is_left_out() {
    for block in ["null", "1", "\"x\"", "[1]"] {
        let server = ModelServer::start().await.unwrap();
        let events = [
            format!(r#"{{"type":"content_block_start","content_block":{block}}}"#),
            r#"{"type":"content_block_delta","delta":{"type":"compaction_delta","content":"a"}}"#.to_owned(),
            r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{}"}}"#.to_owned(),
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#.to_owned(),
            r#"{"type":"message_stop"}"#.to_owned(),
        ];
        let body: String = events.iter().map(|it| format!("data: {it}\n\n")).collect();
        server.answer(ScriptedResponse::event_stream(body));
        let got = ask_over("anthropic-messages", &server).await;
        let Some(CollectedEnd::Done { provider, .. }) = got.end else {
            panic!("{block}: {:?}", got.end);
        };
        assert_eq!(provider, None, "{block}");
    }
}

#[tokio::test]
async fn counters_that_no_call_can_have_are_not_believed() {
    for (api, body) in [
        (
            "openai-completions",
            r#"{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":N,"completion_tokens":N,"completion_tokens_details":{"reasoning_tokens":N},"total_tokens":N}}"#,
        ),
        (
            "openai-responses",
            r#"{"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":N,"output_tokens":1}}}"#,
        ),
        (
            "anthropic-messages",
            r#"{"type":"message","role":"assistant","model":"m","stop_reason":"end_turn","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":1,"cache_read_input_tokens":N,"output_tokens":N}}"#,
        ),
        (
            "google-generative-ai",
            r#"{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":N,"toolUsePromptTokenCount":N,"candidatesTokenCount":N,"thoughtsTokenCount":N}}"#,
        ),
    ] {
        let server = ModelServer::start().await.unwrap();
        for (count, is_believed) in [
            ("7", true),
            ("18446744073709551615", false),
            ("18446744073709551616", true),
            ("9223372036854775807", false),
            ("100000001", false),
        ] {
            let data = body.replace('N', count);
            server.answer(ScriptedResponse::event_stream(format!("data: {data}\n\n")));
            let got = ask_over(api, &server).await;
            assert!(
                matches!(got.end, Some(CollectedEnd::Done { .. })),
                "{api}: {:?}",
                got.end
            );
            let known = got.usage().is_some_and(|usage| usage.total() < 1_000);
            let unknown = got.usage().is_none();
            assert!(
                if is_believed {
                    known || unknown
                } else {
                    unknown
                },
                "{api} {count}: {:?}",
                got.usage()
            );
        }
    }
}

#[tokio::test]
async fn a_body_of_nothing_but_line_ends_comes_to_its_end() {
    let server = ModelServer::start().await.unwrap();
    // The limit takes a debug build 13 s; below it, the body ends.
    let (bytes, end) = match std::env::var_os("SCOREL_LONG") {
        Some(_) => ((256 << 20) + 1, ErrorCategory::ServerError),
        None => (32 << 20, ErrorCategory::StreamTruncated),
    };
    server.answer(ScriptedResponse::event_stream(vec![b'\n'; bytes]));
    let got = ask_over("openai-completions", &server).await;
    assert_eq!(got.error().category, end);
}
