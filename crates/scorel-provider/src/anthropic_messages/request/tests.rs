use scorel_engine::ThinkingLevel;
use scorel_proto::{Block, Message};
use serde_json::{Value, json};

use crate::anthropic_messages::samples::{
    MODEL, answer, body, call, conversation, endpoint, origin, result, text, thinking, tool,
};
use crate::anthropic_messages::{AnthropicDialect, AnthropicMessages};
use crate::wire::{Wire, render};

#[test]
fn a_whole_request_has_the_shape_that_was_recorded() {
    let mut request = conversation(vec![
        Message::user("add"),
        answer(vec![call("a"), call("b")]),
        result("a", vec![Block::text("5")]),
        result("b", vec![Block::text("6")]),
    ]);
    request.system = "Be brief.".to_owned();
    request.tools = vec![tool("Glob"), tool("Read")];
    let mut endpoint = endpoint(MODEL);
    endpoint.stop_sequences = vec!["END".to_owned(), "\n".to_owned()];
    let cached = json!({"type": "ephemeral"});
    let called =
        |id: &str| json!({"type": "tool_use", "id": id, "name": "Read", "input": {"path": "a"}});
    let schema = json!({"type": "object"});
    let expected = json!({
        "model": MODEL,
        "max_tokens": 64_000,
        "tools": [
            {"name": "Glob", "description": "Does.", "input_schema": schema},
            {"name": "Read", "description": "Does.", "input_schema": schema, "cache_control": cached},
        ],
        "system": [{"type": "text", "text": "Be brief.", "cache_control": cached}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "add", "cache_control": cached}]},
            {"role": "assistant", "content": [called("a"), called("b")]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [text("5")]},
                {
                    "type": "tool_result", "tool_use_id": "b", "content": [text("6")],
                    "cache_control": cached,
                },
            ]},
        ],
        "stream": true,
        "stop_sequences": ["END"],
    });
    assert_eq!(body(&endpoint, &request), expected);
    let again = render::<AnthropicMessages>(&endpoint, &request);
    assert_eq!(render::<AnthropicMessages>(&endpoint, &request), again);
}

#[test]
fn the_output_limit_is_the_configured_one_or_the_models() {
    let request = conversation(vec![Message::user("hi")]);
    let mut endpoint = endpoint(MODEL);
    assert_eq!(body(&endpoint, &request)["max_tokens"], 64_000);
    endpoint.output_limit = Some(9);
    assert_eq!(body(&endpoint, &request)["max_tokens"], 9);
}

#[test]
fn the_cache_is_marked_at_the_last_two_messages_of_the_user_only() {
    let request = conversation(vec![
        Message::user("one"),
        answer(vec![Block::text("1")]),
        Message::user("two"),
        answer(vec![Block::text("2")]),
        Message::user("three"),
    ]);
    let body = body(&endpoint(MODEL), &request);
    let marked = |at: usize| !body["messages"][at]["content"][0]["cache_control"].is_null();
    assert_eq!(
        [0, 1, 2, 3, 4].map(marked),
        [false, false, true, false, true]
    );
}

#[test]
fn a_turn_that_began_without_thinking_continues_without_a_budget() {
    let ask = |messages: Vec<Message>, model: &str| {
        let mut request = conversation(messages);
        request.thinking = ThinkingLevel::High;
        body(&endpoint(model), &request)["thinking"]["type"].clone()
    };
    let begun = |first: Vec<Block>| {
        vec![
            Message::user("hi"),
            answer(first),
            result("a", vec![]),
            answer(vec![call("b")]),
            result("b", vec![]),
        ]
    };
    let thought = vec![thinking("hm", &origin(), false), call("a")];
    assert_eq!(ask(begun(thought), MODEL), "enabled");
    assert_eq!(ask(begun(vec![call("a")]), MODEL), Value::Null);
    assert_eq!(ask(begun(vec![call("a")]), "claude-opus-4-6"), "adaptive");
    let mut next = begun(vec![call("a")]);
    next.extend([answer(vec![Block::text("done")]), Message::user("next")]);
    assert_eq!(ask(next, MODEL), "enabled");
}

#[test]
fn thinking_is_requested_only_of_models_that_support_it() {
    let mut request = conversation(vec![Message::user("hi")]);
    request.thinking = ThinkingLevel::Medium;
    let mut endpoint = endpoint("claude-opus-4-6");
    assert_eq!(
        body(&endpoint, &request)["output_config"]["effort"],
        "medium"
    );
    endpoint.reasoning = false;
    let body = body(&endpoint, &request);
    assert_eq!(
        (&body["thinking"], &body["output_config"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn beta_features_are_requested_only_of_hosts_that_know_them() {
    let beta = |dialect: AnthropicDialect, model: &str| {
        let mut endpoint = endpoint(model);
        endpoint.dialect = dialect;
        let headers = AnthropicMessages::headers(&endpoint);
        assert_eq!(headers["anthropic-version"], "2023-06-01");
        headers.get("anthropic-beta").cloned()
    };
    assert!(beta(AnthropicDialect::ANTHROPIC, MODEL).is_some());
    assert!(beta(AnthropicDialect::ANTHROPIC, "claude-opus-5-5").is_some());
    assert_eq!(beta(AnthropicDialect::ANTHROPIC, "claude-opus-4-8"), None);
    assert_eq!(beta(AnthropicDialect::COMPATIBLE, MODEL), None);
}
