use std::io;
use std::sync::{Arc, LazyLock};

use reqwest::Url;
use scorel_proto::{
    AssistantMessage, BlobHash, Block, InternalMessage, Message, Meta, StopReason, ToolResultBlock,
    ToolResultMessage, UserMessage,
};
use scorel_runtime::{ModelInfo, ModelRequest, ThinkingLevel, ToolSpec};
use serde_json::{Value, json};

use crate::Timeouts;
use crate::anthropic_messages::{AnthropicMessages, Dialect, Endpoint, request};
use crate::blobs::BlobSource;
use crate::http::Http;
use crate::wire::{ModelOrigin, Wire};

#[derive(Debug)]
struct OneBlob;

impl BlobSource for OneBlob {
    fn read(&self, _blob: &BlobHash) -> io::Result<Vec<u8>> {
        Ok(b"png".to_vec())
    }
}

/// Nothing is sent.
static HTTP: LazyLock<Arc<Http>> = LazyLock::new(|| Arc::new(Http::new(Timeouts::default())));

fn endpoint(model: &str) -> Endpoint {
    Endpoint {
        model: ModelInfo {
            provider: "test".to_owned(),
            id: model.to_owned(),
            context_window: 200_000,
            max_output_tokens: 64_000,
        },
        url: Url::parse("http://127.0.0.1/v1/messages").unwrap(),
        key: None,
        dialect: Dialect::ANTHROPIC,
        output_limit: None,
        reasoning: true,
        images: true,
        stop_sequences: Vec::new(),
        blobs: Arc::new(OneBlob),
        http: Arc::clone(&HTTP),
    }
}

const MODEL: &str = "claude-sonnet-4-5";

fn origin() -> ModelOrigin {
    endpoint(MODEL).origin()
}

fn conversation(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: String::new(),
        messages,
        tools: Vec::new(),
        thinking: ThinkingLevel::Default,
    }
}

fn body(endpoint: &Endpoint, request: &ModelRequest) -> Value {
    serde_json::from_slice(&request::render(endpoint, request)).unwrap()
}

/// The messages without their marks for the cache.
fn messages(messages: Vec<Message>) -> Value {
    let mut body = body(&endpoint(MODEL), &conversation(messages));
    for message in body["messages"].as_array_mut().unwrap() {
        for block in message["content"].as_array_mut().unwrap() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
    }
    body["messages"].take()
}

fn assistant(content: Vec<Block>) -> AssistantMessage {
    AssistantMessage {
        content,
        model: MODEL.to_owned(),
        stop_reason: StopReason::EndTurn,
        usage: None,
        partial: false,
        meta: Meta::default(),
    }
}

fn answer(content: Vec<Block>) -> Message {
    Message::Assistant(assistant(content))
}

fn call(id: &str) -> Block {
    Block::ToolUse {
        id: id.to_owned(),
        name: "Read".to_owned(),
        input: json!({"path": "a"}),
        invalid_input: None,
        provider: None,
    }
}

fn result(id: &str, content: Vec<Block>) -> Message {
    let result = ToolResultBlock {
        tool_use_id: id.to_owned(),
        content,
        is_error: false,
        details: None,
    };
    Message::ToolResult(ToolResultMessage::new("Read", result, 1))
}

fn thinking(text: &str, origin: &ModelOrigin, redacted: bool) -> Block {
    Block::Thinking {
        text: text.to_owned(),
        signature: Some("sig".to_owned()),
        redacted,
        provider: Some(origin.tag("signed", json!(true))),
    }
}

fn picture(media_type: &str) -> Block {
    Block::Image {
        media_type: media_type.to_owned(),
        blob: "a".repeat(64).parse().unwrap(),
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: "Does.".to_owned(),
        parameters: json!({"type": "object"}),
        read_only: true,
    }
}

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
    let again = request::render(&endpoint, &request);
    assert_eq!(request::render(&endpoint, &request), again);
}

#[test]
fn the_output_is_bound_as_configured_or_as_the_model_bounds_it() {
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
fn what_holds_nothing_is_left_out() {
    let empty = UserMessage {
        content: vec![Block::text(""), Block::text(" \n")],
        meta: Meta::default(),
    };
    let rendered = messages(vec![
        Message::user("hi"),
        answer(vec![Block::text(" ")]),
        Message::User(empty),
        answer(vec![Block::text(""), Block::text("yes")]),
        Message::user("no"),
    ]);
    let expected = json!([
        {"role": "user", "content": [text("hi")]},
        {"role": "assistant", "content": [text("yes")]},
        {"role": "user", "content": [text("no")]},
    ]);
    assert_eq!(rendered, expected);
}

#[test]
fn neighbours_of_one_role_become_one_message_with_its_results_in_front() {
    let steer = Message::Internal(InternalMessage {
        content: vec![Block::text("hurry")],
        meta: Meta::default(),
    });
    let rendered = messages(vec![
        Message::user("one"),
        Message::user("two"),
        answer(vec![call("a"), call("b")]),
        result("a", vec![Block::text("5")]),
        steer,
        result("b", vec![Block::text("6")]),
    ]);
    assert_eq!(rendered[0]["content"], json!([text("one"), text("two")]));
    let last = rendered[2]["content"].as_array().unwrap();
    let kinds: Vec<&Value> = last.iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["tool_result", "tool_result", "text"]);
    assert_eq!(last[1]["tool_use_id"], "b");
}

#[test]
fn of_a_partial_answer_only_the_text_is_sent() {
    let content = vec![
        thinking("hm", &origin(), false),
        Block::text("I beg"),
        call("a"),
    ];
    let mut partial = assistant(content);
    partial.partial = true;
    let rendered = messages(vec![
        Message::user("hi"),
        Message::Assistant(partial),
        Message::user("go on"),
    ]);
    assert_eq!(rendered[1]["content"], json!([text("I beg")]));
}

#[test]
fn signed_reasoning_goes_back_where_it_was_even_if_it_shows_nothing() {
    let rendered = messages(vec![
        Message::user("hi"),
        answer(vec![
            thinking("hm", &origin(), false),
            thinking("", &origin(), false),
            thinking("", &origin(), true),
            Block::text("So:"),
            thinking("more", &origin(), false),
            call("a"),
        ]),
        result("a", vec![]),
    ]);
    let expected = json!([
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "thinking", "thinking": "", "signature": "sig"},
        {"type": "redacted_thinking", "data": "sig"},
        text("So:"),
        {"type": "thinking", "thinking": "more", "signature": "sig"},
        {"type": "tool_use", "id": "a", "name": "Read", "input": {"path": "a"}},
    ]);
    assert_eq!(rendered[1]["content"], expected);
}

#[test]
fn reasoning_of_others_does_not_go_back() {
    let other_model = endpoint("claude-opus-4-1").origin();
    let info = endpoint(MODEL).model;
    let other_wire = ModelOrigin::new("google-generative-ai", &info);
    let unsigned = Block::Thinking {
        text: "hm".to_owned(),
        signature: None,
        redacted: false,
        provider: Some(origin().tag("signed", json!(true))),
    };
    let untagged = Block::Thinking {
        text: "hm".to_owned(),
        signature: Some("sig".to_owned()),
        redacted: false,
        provider: None,
    };
    let rendered = messages(vec![
        Message::user("hi"),
        answer(vec![
            thinking("hm", &other_model, false),
            thinking("hm", &other_wire, true),
            unsigned,
            untagged,
            Block::text("yes"),
        ]),
        Message::user("and?"),
    ]);
    assert_eq!(rendered[1]["content"], json!([text("yes")]));
}

#[test]
fn blocks_of_the_endpoints_own_tools_go_back_to_the_same_model_only() {
    let search = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": []});
    let kept =
        json!([{"at": 1, "block": search}, {"at": 1, "block": found}, {"at": 2, "block": search}]);
    let mut paused = assistant(vec![Block::text("Let me look."), Block::text("Found. ")]);
    paused.stop_reason = StopReason::Pause;
    paused.meta.provider = Some(origin().tag("blocks", kept));
    let request = conversation(vec![Message::user("hi"), Message::Assistant(paused)]);
    let content = |endpoint: &Endpoint| body(endpoint, &request)["messages"][1]["content"].take();
    assert_eq!(
        content(&endpoint(MODEL)),
        json!([text("Let me look."), search, found, text("Found. "), search])
    );
    // An answer to be continued must not end in white space.
    assert_eq!(
        content(&endpoint("claude-opus-4-1")),
        json!([text("Let me look."), text("Found.")])
    );
}

#[test]
fn citations_and_callers_go_back_to_the_same_model_only() {
    let citations = json!([{"type": "char_location", "cited_text": "x"}]);
    let caller = json!({"type": "code_execution_20250825", "tool_id": "s"});
    let cited = Block::Text {
        text: "x".to_owned(),
        provider: Some(origin().tag("citations", citations.clone())),
    };
    let Block::ToolUse {
        id, name, input, ..
    } = call("a")
    else {
        unreachable!()
    };
    let called = Block::ToolUse {
        id,
        name,
        input,
        invalid_input: None,
        provider: Some(origin().tag("caller", caller.clone())),
    };
    let request = conversation(vec![
        Message::user("hi"),
        answer(vec![cited, called]),
        result("a", vec![]),
    ]);
    let content = |model: &str| body(&endpoint(model), &request)["messages"][1]["content"].take();
    let own = content(MODEL);
    assert_eq!(
        (&own[0]["citations"], &own[1]["caller"]),
        (&citations, &caller)
    );
    let other = content("claude-opus-4-1");
    assert_eq!(
        (&other[0]["citations"], &other[1]["caller"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn results_hold_pictures_unless_they_tell_of_a_failure() {
    let failed = ToolResultBlock {
        is_error: true,
        content: vec![picture("image/png")],
        ..ToolResultBlock::error("b", "")
    };
    let rendered = messages(vec![
        Message::user("hi"),
        answer(vec![call("a"), call("b"), call("c")]),
        result("a", vec![Block::text("see"), picture("image/png")]),
        Message::ToolResult(ToolResultMessage::new("Read", failed, 1)),
        result("c", vec![]),
    ]);
    let image = json!({"type": "image", "source": {
        "type": "base64", "media_type": "image/png", "data": "cG5n",
    }});
    let content = &rendered[2]["content"];
    assert_eq!(content[0]["content"], json!([text("see"), image]));
    assert_eq!(content[1]["is_error"], true);
    assert_eq!(
        content[1]["content"],
        json!([text("(see the picture that follows)")])
    );
    assert_eq!(content[2]["content"], json!([text("(no output)")]));
    assert_eq!(content[3], image);
}

#[test]
fn pictures_that_cannot_be_sent_are_notes() {
    let message = |media_type: &str| {
        Message::User(UserMessage {
            content: vec![picture(media_type)],
            meta: Meta::default(),
        })
    };
    let rendered = messages(vec![message("image/tiff")]);
    let note = rendered[0]["content"][0]["text"].as_str().unwrap();
    assert!(note.contains("image/tiff"), "{note}");
    let mut blind = endpoint(MODEL);
    blind.images = false;
    let body = body(&blind, &conversation(vec![message("image/png")]));
    assert_eq!(body["messages"][0]["content"][0]["type"], "text");
}

#[test]
fn ids_of_other_wires_are_rewritten_and_never_stand_twice() {
    let rendered = messages(vec![
        Message::user("hi"),
        answer(vec![call("functions.Read:0")]),
        result("functions.Read:0", vec![]),
        answer(vec![call("functions.Read:0")]),
        result("functions.Read:0", vec![]),
    ]);
    let id = |message: usize, field: &str| rendered[message]["content"][0][field].clone();
    assert_eq!(id(1, "id"), id(2, "tool_use_id"));
    assert_eq!(id(3, "id"), id(4, "tool_use_id"));
    assert_ne!(id(1, "id"), id(3, "id"));
}

#[test]
fn a_conversation_begins_with_the_user() {
    let rendered = messages(vec![answer(vec![Block::text("yes")]), Message::user("no")]);
    assert_eq!(rendered[0]["role"], "user");
    assert_eq!(rendered[1]["role"], "assistant");
}

#[test]
fn a_turn_that_was_begun_without_thinking_goes_on_without_a_budget() {
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
fn thinking_is_asked_for_only_of_models_that_can() {
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
fn features_in_trial_are_named_to_the_host_that_knows_them() {
    let beta = |dialect: Dialect, model: &str| {
        let mut endpoint = endpoint(model);
        endpoint.dialect = dialect;
        let headers = AnthropicMessages::headers(&endpoint);
        assert_eq!(headers["anthropic-version"], "2023-06-01");
        headers.get("anthropic-beta").cloned()
    };
    assert!(beta(Dialect::ANTHROPIC, MODEL).is_some());
    assert!(beta(Dialect::ANTHROPIC, "claude-opus-5-5").is_some());
    assert_eq!(beta(Dialect::ANTHROPIC, "claude-opus-4-8"), None);
    assert_eq!(beta(Dialect::COMPATIBLE, MODEL), None);
}
