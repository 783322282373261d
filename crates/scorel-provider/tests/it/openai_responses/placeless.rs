//! Streams whose events have no `output_index`, as those of llama.cpp's server: all items are announced
//! while the answer streams, and end together after it.

use serde_json::{Value, json};

use super::{answered, completed, stream};
use crate::collected::Collected;

fn placeless(event: &str, more: &Value) -> Value {
    let mut event = json!({"type": format!("response.{event}")});
    for (name, value) in more.as_object().into_iter().flatten() {
        event[name] = value.clone();
    }
    event
}

fn added(item: &Value) -> Value {
    placeless("output_item.added", &json!({"item": item}))
}

fn done(item: &Value) -> Value {
    placeless("output_item.done", &json!({"item": item}))
}

fn delta(kind: &str, delta: &str) -> Value {
    placeless(&format!("{kind}.delta"), &json!({"delta": delta}))
}

fn reasoning(text: &str) -> Value {
    let content = match text {
        "" => json!([]),
        text => json!([{"type": "reasoning_text", "text": text}]),
    };
    json!({"type": "reasoning", "id": "rs_1", "summary": [], "content": content,
        "encrypted_content": ""})
}

fn message(text: &str) -> Value {
    let content = match text {
        "" => json!([]),
        text => json!([{"type": "output_text", "text": text}]),
    };
    json!({"type": "message", "id": "msg_1", "role": "assistant", "content": content})
}

fn call(id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "Read", "arguments": arguments})
}

fn completed_with(output: &[Value]) -> Value {
    let mut end = completed();
    end["response"]["output"] = json!(output);
    end
}

fn calls(got: &Collected) -> Vec<(&str, &str)> {
    let calls = got.calls.iter();
    calls
        .map(|call| (call.id.as_str(), call.arguments.as_str()))
        .collect()
}

#[tokio::test]
async fn a_text_after_reasoning_is_kept_without_places() {
    let items = [reasoning("hm"), message("Hello there")];
    let got = answered(stream(&[
        added(&reasoning("")),
        delta("reasoning_text", "h"),
        delta("reasoning_text", "m"),
        added(&message("")),
        delta("output_text", "Hello "),
        delta("output_text", "there"),
        done(&items[0]),
        done(&items[1]),
        completed_with(&items),
    ]))
    .await;
    assert_eq!(got.kinds, ["thinking", "text"]);
    assert_eq!(
        (got.thinking.as_str(), got.text.as_str()),
        ("hm", "Hello there")
    );
    let metadata = &got.thinking_meta[0]["reasoning"];
    assert_eq!(metadata["content"], items[0]["content"]);
}

#[tokio::test]
async fn a_call_after_a_text_is_kept_without_places() {
    let items = [message("I look."), call("a", "{\"a\":1}")];
    let got = answered(stream(&[
        added(&message("")),
        delta("output_text", "I look."),
        added(&call("a", "")),
        delta("function_call_arguments", "{\"a\""),
        delta("function_call_arguments", ":1}"),
        done(&items[0]),
        done(&items[1]),
        completed_with(&items),
    ]))
    .await;
    assert_eq!(got.kinds, ["text", "tool_call"]);
    assert_eq!(got.text, "I look.");
    assert_eq!(calls(&got), [("a", "{\"a\":1}")]);
}

#[tokio::test]
async fn two_calls_are_told_apart_without_places() {
    let items = [call("a", "{\"a\":1}"), call("b", "{\"b\":2}")];
    let got = answered(stream(&[
        added(&call("a", "")),
        delta("function_call_arguments", "{\"a\":1}"),
        added(&call("b", "")),
        delta("function_call_arguments", "{\"b\":"),
        delta("function_call_arguments", "2}"),
        done(&items[0]),
        done(&items[1]),
        completed_with(&items),
    ]))
    .await;
    assert_eq!(calls(&got), [("a", "{\"a\":1}"), ("b", "{\"b\":2}")]);
}

#[tokio::test]
async fn items_that_end_one_by_one_are_told_apart_without_places() {
    let got = answered(stream(&[
        done(&reasoning("hm")),
        delta("output_text", "I "),
        done(&message("I look.")),
        done(&call("a", "{}")),
        done(&call("b", "{}")),
        completed(),
    ]))
    .await;
    assert_eq!(got.kinds, ["thinking", "text", "tool_call", "tool_call"]);
    assert_eq!(got.text, "I look.");
    assert_eq!(calls(&got), [("a", "{}"), ("b", "{}")]);
}

#[tokio::test]
async fn what_did_not_stream_is_taken_from_the_response_once() {
    let items = [reasoning("hm"), message("I look."), call("a", "{\"a\":1}")];
    let got = answered(stream(&[
        added(&message("")),
        delta("output_text", "I "),
        completed_with(&items),
    ]))
    .await;
    assert_eq!(got.text, "I look.");
    assert_eq!(got.thinking, "hm");
    assert_eq!(calls(&got), [("a", "{\"a\":1}")]);
}
