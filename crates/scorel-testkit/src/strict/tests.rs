use serde_json::{Value, json};

use super::{IssuedReasoning, WireApi, check};
use crate::RecordedRequest;
use crate::reply::{ModelReply, proof};

fn request(api: WireApi, body: &Value) -> RecordedRequest {
    let path = match api {
        WireApi::OpenAiCompletions => "/v1/chat/completions",
        WireApi::OpenAiResponses => "/v1/responses",
        WireApi::AnthropicMessages => "/v1/messages",
        WireApi::GoogleGenerativeAi => "/v1beta/models/gemini-3-x:streamGenerateContent?alt=sse",
    };
    RecordedRequest {
        connection: 0,
        method: "POST".to_owned(),
        path: path.to_owned(),
        headers: vec![("anthropic-version".to_owned(), "2023-06-01".to_owned())],
        body: body.to_string().into_bytes(),
    }
}

/// The endpoint gave `call_1` of model `m` together with reasoning.
fn issued() -> IssuedReasoning {
    let mut issued = IssuedReasoning::default();
    let reply = ModelReply::default()
        .thinking("hm")
        .tool_call("call_1", "Read", "{}");
    issued.add("m", &reply);
    issued
}

fn accepted(api: WireApi, body: &Value) {
    let checked = check(&request(api, body), &issued());
    assert!(checked.is_ok(), "{body}: {checked:?}");
}

/// The request with one place changed is refused with words like these.
fn refused(api: WireApi, good: &Value, place: &str, value: Value, words: &str) {
    let mut bad = good.clone();
    *bad.pointer_mut(place).expect("a place of the request") = value;
    let reason = check(&request(api, &bad), &issued()).expect_err(words);
    assert!(reason.contains(words), "{reason:?} has no {words:?}");
}

#[test]
fn chat_completions_refuse_what_the_real_ones_refuse() {
    let api = WireApi::OpenAiCompletions;
    let good = json!({"model": "m", "messages": [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "Read", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "text"},
    ]});
    accepted(api, &good);
    let call = "/messages/2/tool_calls/0";
    for (place, value, words) in [
        ("/model", json!(""), "no model"),
        ("/messages", json!([]), "messages"),
        ("/messages/1/content", json!(" "), "not empty"),
        ("/messages/3/role", json!("system"), "without tool messages"),
        ("/messages/2/tool_calls", json!([]), "tool_calls"),
        ("/messages/3/tool_call_id", json!("b"), "must follow"),
        (
            "/messages/3",
            json!({"role": "user", "content": "x"}),
            "without tool messages",
        ),
        (
            "/messages/2",
            json!({"role": "assistant", "content": ""}),
            "text or calls",
        ),
        ("/messages/0/role", json!("robot"), "unknown role"),
        (&format!("{call}/id"), json!("x".repeat(41)), "1 to 40"),
        (&format!("{call}/function/name"), json!("a b"), "tool name"),
        (
            &format!("{call}/function/arguments"),
            json!("{"),
            "JSON object",
        ),
    ] {
        refused(api, &good, place, value, words);
    }
    let mut deepseek = good;
    deepseek["model"] = json!("deepseek-reasoner");
    let reason = check(&request(api, &deepseek), &issued()).expect_err("no reasoning");
    assert!(reason.contains("passed back"), "{reason}");
}

#[test]
fn responses_refuse_what_the_real_ones_refuse() {
    let api = WireApi::OpenAiResponses;
    let good = json!({"model": "m", "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "summary": [], "encrypted_content": proof("m")},
        {"type": "function_call", "call_id": "call_1", "name": "Read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "text"},
    ]});
    accepted(api, &good);
    let user = good["input"][0].clone();
    for (place, value, words) in [
        ("/input/0/content", json!([]), "not empty"),
        ("/input/0/role", json!("tool"), "unknown role"),
        (
            "/input/1/encrypted_content",
            json!(proof("other")),
            "could not be verified",
        ),
        ("/input/1", user.clone(), "required reasoning item"),
        ("/input/2", user.clone(), "required following item"),
        ("/input/3", user, "No tool output"),
        ("/input/3/call_id", json!("b"), "No tool call found"),
        ("/input/2/call_id", json!("x".repeat(65)), "1 to 64"),
        (
            "/input/2/type",
            json!("telepathy"),
            "required following item",
        ),
    ] {
        refused(api, &good, place, value, words);
    }
}

#[test]
fn messages_refuse_what_the_real_ones_refuse() {
    let api = WireApi::AnthropicMessages;
    let good = json!({"model": "m", "max_tokens": 2048,
        "thinking": {"type": "enabled", "budget_tokens": 1024}, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "", "signature": proof("m")},
            {"type": "tool_use", "id": "call_1", "name": "Read", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "call_1", "content": "text"},
            {"type": "text", "text": "go on"}]},
    ]});
    accepted(api, &good);
    let text = json!({"type": "text", "text": "x"});
    for (place, value, words) in [
        ("/max_tokens", json!(0), "max_tokens"),
        ("/thinking/budget_tokens", json!(1000), "budget_tokens"),
        ("/messages/0/role", json!("assistant"), "first message"),
        ("/messages/0/content/0/text", json!(" "), "not empty"),
        (
            "/messages/1/content/0/signature",
            json!(proof("other")),
            "Invalid signature",
        ),
        ("/messages/1/content/0", text.clone(), "expected thinking"),
        ("/messages/1/content/1/id", json!("a.b"), "bad characters"),
        ("/messages/1/content/1/name", json!("a.b:0"), "tool name"),
        ("/messages/1/content/1", text.clone(), "without tool_use"),
        (
            "/messages/1/content/1",
            json!({"type": "thinking", "thinking": "", "signature": proof("m")}),
            "cannot be `thinking`",
        ),
        (
            "/messages/1/content/1",
            json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
            "without its result",
        ),
        ("/messages/2/content/0", text, "without tool_result"),
        (
            "/messages/2",
            json!({"role": "user", "content": []}),
            "not empty",
        ),
    ] {
        refused(api, &good, place, value, words);
    }
    let mut turned = good;
    turned["messages"][2]["content"]
        .as_array_mut()
        .expect("blocks")
        .reverse();
    let reason = check(&request(api, &turned), &issued()).expect_err("text first");
    assert!(reason.contains("come first"), "{reason}");
}

#[test]
fn generate_content_refuses_what_the_real_one_refuses() {
    let api = WireApi::GoogleGenerativeAi;
    let good = json!({"contents": [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": "Read", "args": {}}, "thoughtSignature": proof("gemini-3-x")},
            {"functionCall": {"name": "Glob", "args": {}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "Read", "response": {"output": "text"}}},
            {"functionResponse": {"name": "Glob", "response": {"output": "text"}}}]},
    ]});
    accepted(api, &good);
    let text = json!({"text": "x"});
    for (place, value, words) in [
        ("/contents", json!([]), "contents"),
        ("/contents/0/role", json!("model"), "first turn"),
        ("/contents/0/parts/0/text", json!(""), "not empty"),
        ("/contents/1/role", json!("user"), "two turns"),
        (
            "/contents/1/parts/0/thoughtSignature",
            json!("other"),
            "Corrupted",
        ),
        (
            "/contents/1/parts/0/thoughtSignature",
            json!(null),
            "missing a thought_signature",
        ),
        (
            "/contents/2/parts/0/functionResponse/name",
            json!("Glob"),
            "another function",
        ),
        (
            "/contents/1/parts/1/functionCall/name",
            json!("9lives"),
            "start with a letter",
        ),
        ("/contents/2/parts/0", text, "number of function response"),
        ("/contents/2/role", json!("model"), "two turns"),
    ] {
        refused(api, &good, place, value, words);
    }
}

#[test]
fn fields_that_no_wire_knows_are_refused() {
    for api in WireApi::ALL {
        let body = json!({"model": "m", "a": 1});
        let reason = check(&request(api, &body), &issued()).expect_err("an unknown field");
        assert!(reason.contains("unknown field"), "{reason}");
    }
}
