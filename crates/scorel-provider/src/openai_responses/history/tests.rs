use std::sync::Arc;

use reqwest::Url;
use scorel_engine::{ModelInfo, ModelRequest, ThinkingLevel, ToolSpec};
use scorel_proto::{
    AssistantMessage, Block, InternalMessage, Message, Meta, StopReason, ToolResultBlock,
    ToolResultMessage, UserMessage,
};
use serde_json::{Value, json};

use crate::blobs::OneBlob;
use crate::http::Http;
use crate::openai_responses::OpenAiResponses;
use crate::openai_responses::dialect::{ResponsesDialect, ResponsesEndpoint};
use crate::wire::render;
use crate::{ThinkingLevels, Timeouts};

fn endpoint(dialect: ResponsesDialect) -> ResponsesEndpoint {
    ResponsesEndpoint {
        api: "openai-responses",
        model: ModelInfo {
            provider: "test".to_owned(),
            id: "gpt-5".to_owned(),
            context_window: 1000,
            max_output_tokens: 100,
            price: None,
        },
        url: Url::parse("http://127.0.0.1/v1/responses").unwrap(),
        key: None,
        dialect,
        levels: dialect.levels,
        output_limit: None,
        reasoning: true,
        images: true,
        stop_sequences: Vec::new(),
        blobs: Arc::new(OneBlob),
        http: Arc::new(Http::new(Timeouts::default())),
    }
}

fn conversation(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: String::new(),
        messages: messages.into(),
        tools: Vec::new(),
        thinking: ThinkingLevel::Default,
    }
}

fn body(endpoint: &ResponsesEndpoint, request: &ModelRequest) -> Value {
    serde_json::from_slice(&render::<OpenAiResponses>(endpoint, request)).unwrap()
}

fn input(dialect: ResponsesDialect, messages: Vec<Message>) -> Value {
    body(&endpoint(dialect), &conversation(messages))["input"].take()
}

/// The items of one answer.
fn answer(dialect: ResponsesDialect, content: Vec<Block>) -> Value {
    input(dialect, vec![Message::Assistant(assistant(content))])
}

fn assistant(content: Vec<Block>) -> AssistantMessage {
    AssistantMessage {
        content,
        model: "gpt-5".to_owned(),
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    }
}

fn tag(name: &str, fact: Value) -> Option<Value> {
    Some(endpoint(ResponsesDialect::OPENAI).origin().tag(name, fact))
}

fn text(text: &str, kept: Value) -> Block {
    Block::Text {
        text: text.to_owned(),
        part: None,
        template_ref: None,
        provider: tag("message", kept),
    }
}

fn call(id: &str) -> Block {
    Block::ToolUse {
        id: id.to_owned(),
        name: "Read".to_owned(),
        input: json!({"path": "a"}),
        invalid_input: None,
        provider: tag("call", json!({"id": "fc_7", "namespace": "files"})),
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

fn item() -> Value {
    json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "xyz"})
}

fn thinking() -> Block {
    Block::Thinking {
        text: "hm".to_owned(),
        signature: None,
        redacted: false,
        provider: tag("reasoning", item()),
    }
}

fn picture() -> Block {
    Block::Image {
        media_type: "image/png".to_owned(),
        blob: "a".repeat(64).parse().unwrap(),
    }
}

fn types(items: &Value) -> Vec<&str> {
    let items = items.as_array().unwrap().iter();
    items.map(|item| item["type"].as_str().unwrap()).collect()
}

#[test]
fn a_whole_request_has_the_shape_that_was_recorded() {
    let mut request = conversation(vec![
        Message::user("add"),
        Message::Assistant(assistant(vec![thinking(), call("call_1"), call("call_2")])),
        result("call_1", vec![Block::text("5")]),
        result("call_2", vec![]),
    ]);
    request.system = "Be brief.".to_owned();
    request.thinking = ThinkingLevel::High;
    request.tools = vec![ToolSpec {
        name: "Read".to_owned(),
        description: "Reads.".to_owned(),
        parameters: json!({"type": "object"}).into(),
        read_only: true,
        class: scorel_engine::ToolClass::Inspect,
    }];
    let mut endpoint = endpoint(ResponsesDialect::OPENAI);
    endpoint.output_limit = Some(4000);
    let call = |id: &str| {
        json!({"type": "function_call", "call_id": id, "name": "Read",
            "arguments": "{\"path\":\"a\"}", "namespace": "files"})
    };
    let output = |id: &str, output: &str| json!({"type": "function_call_output", "call_id": id, "output": output});
    let expected = json!({
        "model": "gpt-5",
        "instructions": "Be brief.",
        "tools": [{"type": "function", "name": "Read", "description": "Reads.",
            "parameters": {"type": "object"}, "strict": false}],
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "add"}]},
            {"type": "reasoning", "summary": [], "encrypted_content": "xyz"},
            call("call_1"), call("call_2"),
            output("call_1", "5"), output("call_2", "(no output)"),
        ],
        "stream": true,
        "store": false,
        "max_output_tokens": 4000,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "high", "summary": "auto"},
    });
    let mut rendered = body(&endpoint, &request);
    let key = rendered.as_object_mut().unwrap().remove("prompt_cache_key");
    assert_eq!(key.unwrap().as_str().unwrap().len(), 32);
    assert_eq!(rendered, expected);
    assert_eq!(
        render::<OpenAiResponses>(&endpoint, &request),
        render::<OpenAiResponses>(&endpoint, &request)
    );
}

#[test]
fn a_longer_conversation_begins_with_the_bytes_of_the_shorter() {
    let endpoint = endpoint(ResponsesDialect::OPENAI);
    let mut request = conversation(vec![
        Message::user("add"),
        Message::Assistant(assistant(vec![thinking(), call("call_1")])),
        result("call_1", vec![Block::text("5")]),
    ]);
    let before =
        String::from_utf8(render::<OpenAiResponses>(&endpoint, &request).to_vec()).unwrap();
    request.messages.push(Message::user("more"));
    let after = String::from_utf8(render::<OpenAiResponses>(&endpoint, &request).to_vec()).unwrap();
    let (items, _) = before.split_once("],\"stream\"").unwrap();
    assert!(after.starts_with(items));
    let key = |body: &str| serde_json::from_str::<Value>(body).unwrap()["prompt_cache_key"].take();
    assert_eq!(key(&before), key(&after));
}

#[test]
fn empty_messages_are_left_out() {
    let empty = Message::User(UserMessage {
        content: vec![Block::text("")],
        meta: Meta::default(),
    });
    let silent = Message::Assistant(assistant(vec![thinking(), Block::text(" ")]));
    assert_eq!(
        input(ResponsesDialect::OPENAI, vec![empty, silent]),
        json!([])
    );
}

#[test]
fn reasoning_goes_back_only_right_before_what_it_led_to() {
    let phase = json!({"id": "msg_1", "phase": "commentary"});
    let content = vec![
        thinking(),
        text("I look", phase),
        call("call_1"),
        thinking(),
    ];
    let items = answer(ResponsesDialect::COMPATIBLE, content);
    assert_eq!(types(&items), ["reasoning", "message", "function_call"]);
    assert_eq!(items[0], item());
    let content = vec![thinking(), Block::text(""), call("call_1")];
    assert_eq!(
        types(&answer(ResponsesDialect::COMPATIBLE, content)),
        ["function_call"]
    );
    let content = vec![thinking(), thinking(), Block::text("yes")];
    let items = answer(ResponsesDialect::COMPATIBLE, content);
    assert_eq!(types(&items), ["reasoning", "reasoning", "message"]);
}

#[test]
fn only_the_text_of_a_partial_answer_is_sent() {
    let mut partial = assistant(vec![
        thinking(),
        text("I beg", json!({"id": "msg_1", "phase": "commentary"})),
        call("call_1"),
    ]);
    partial.partial = true;
    let items = input(
        ResponsesDialect::COMPATIBLE,
        vec![Message::Assistant(partial)],
    );
    let expected = json!([{"type": "message", "role": "assistant", "content": "I beg"}]);
    assert_eq!(items, expected);
}

#[test]
fn only_text_and_calls_of_another_model_are_sent() {
    let mut other = endpoint(ResponsesDialect::COMPATIBLE);
    other.model.id = "model-2".to_owned();
    let item = Block::Text {
        text: String::new(),
        part: None,
        template_ref: None,
        provider: tag("item", json!({"type": "web_search_call"})),
    };
    let phase = json!({"id": "msg_1", "phase": "commentary"});
    let answer = assistant(vec![
        thinking(),
        item,
        text("I look", phase),
        call("call_1"),
    ]);
    let items = body(&other, &conversation(vec![Message::Assistant(answer)]))["input"].take();
    assert_eq!(
        items[0],
        json!({"type": "message", "role": "assistant", "content": "I look"})
    );
    assert_eq!(types(&items), ["message", "function_call"]);
    assert_eq!(items[1].get("namespace"), None);
    let id = items[1]["id"].as_str().unwrap();
    assert!(id.starts_with("fc_") && id != "fc_7", "{id}");
}

#[test]
fn ids_and_phases_go_back_as_the_host_wants_them() {
    let content = || {
        vec![
            text("I ", json!({"id": "msg_1", "phase": "final_answer"})),
            text(
                "won't",
                json!({"id": "msg_1", "phase": "final_answer", "refusal": true}),
            ),
            text("next", json!({"id": "msg_2"})),
        ]
    };
    let parts = json!([
        {"type": "output_text", "text": "I ", "annotations": []},
        {"type": "refusal", "refusal": "won't"},
    ]);
    let items = answer(ResponsesDialect::COMPATIBLE, content());
    let expected = json!({
        "type": "message", "role": "assistant", "content": parts, "phase": "final_answer",
        "id": "msg_1", "status": "completed",
    });
    assert_eq!(items[0], expected);
    assert_eq!(items[1]["id"], "msg_2");
    let items = answer(ResponsesDialect::OPENAI, content());
    let expected = json!({
        "type": "message", "role": "assistant", "content": parts, "phase": "final_answer",
    });
    assert_eq!(items[0], expected);
    assert_eq!(items.as_array().unwrap().len(), 2);
}

#[test]
fn items_that_only_the_endpoint_understands_go_back_in_their_place() {
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed"});
    let kept = Block::Text {
        text: String::new(),
        part: None,
        template_ref: None,
        provider: tag("item", search.clone()),
    };
    let content = vec![thinking(), kept, thinking(), Block::text("found")];
    let items = answer(ResponsesDialect::COMPATIBLE, content);
    assert_eq!(
        types(&items),
        ["reasoning", "web_search_call", "reasoning", "message"]
    );
    assert_eq!(items[1], search);
}

#[test]
fn messages_of_the_daemon_have_the_role_user() {
    let internal = Message::Internal(InternalMessage {
        content: vec![Block::text("<system-reminder>x</system-reminder>")],
        meta: Meta::default(),
    });
    assert_eq!(
        input(ResponsesDialect::OPENAI, vec![internal])[0]["role"],
        "user"
    );
}

#[test]
fn pictures_are_inlined_in_messages_and_in_results() {
    let items = input(
        ResponsesDialect::COMPATIBLE,
        vec![
            Message::User(UserMessage {
                content: vec![Block::text("look"), picture()],
                meta: Meta::default(),
            }),
            Message::Assistant(assistant(vec![call("call_1")])),
            result("call_1", vec![Block::text("see"), picture()]),
        ],
    );
    let image = json!({
        "type": "input_image", "image_url": "data:image/png;base64,cG5n", "detail": "auto",
    });
    assert_eq!(items[0]["content"][1], image);
    let output = json!([{"type": "input_text", "text": "see"}, image]);
    assert_eq!(items[2]["output"], output);
    let mut blind = endpoint(ResponsesDialect::COMPATIBLE);
    blind.images = false;
    let request = conversation(vec![
        Message::Assistant(assistant(vec![call("call_1")])),
        result("call_1", vec![picture()]),
    ]);
    let output = body(&blind, &request)["input"][1]["output"].take();
    assert!(output.as_str().unwrap().contains("cannot see"));
}

#[test]
fn a_call_and_its_result_have_one_id_that_the_wire_accepts() {
    let long = "x".repeat(65);
    let round = || {
        [
            Message::Assistant(assistant(vec![call(&long)])),
            result(&long, vec![Block::text("5")]),
        ]
    };
    let items = input(ResponsesDialect::COMPATIBLE, [round(), round()].concat());
    let id = |place: usize| items[place]["call_id"].as_str().unwrap();
    assert!(id(0).len() <= 64);
    assert_eq!(id(0), id(1));
    assert_eq!(id(2), id(3));
    assert_ne!(id(0), id(2));
}

#[test]
fn arguments_that_were_not_json_go_back_as_an_empty_object() {
    let call = Block::ToolUse {
        id: "call_1".to_owned(),
        name: "Read".to_owned(),
        input: json!({}),
        invalid_input: Some("{\"pa".to_owned()),
        provider: None,
    };
    let items = answer(ResponsesDialect::OPENAI, vec![call]);
    assert_eq!(items[0]["arguments"], "{}");
    assert_eq!(items[0].get("id"), None);
}

#[test]
fn a_model_that_does_not_reason_gets_nothing_about_it() {
    let mut request = conversation(vec![Message::user("hi")]);
    request.thinking = ThinkingLevel::High;
    let mut plain = endpoint(ResponsesDialect::OPENAI);
    plain.model.id = "gpt-4o".to_owned();
    let mut told = endpoint(ResponsesDialect::OPENAI);
    told.reasoning = false;
    for endpoint in [plain, told] {
        let body = body(&endpoint, &request);
        assert_eq!(body.get("reasoning"), None);
        assert_eq!(body.get("include"), None);
    }
}

#[test]
fn levels_become_those_of_the_host() {
    let effort = |dialect: ResponsesDialect, thinking: ThinkingLevel| {
        let mut request = conversation(vec![Message::user("hi")]);
        request.thinking = thinking;
        body(&endpoint(dialect), &request)["reasoning"].take()
    };
    assert_eq!(
        effort(ResponsesDialect::OPENAI, ThinkingLevel::Default),
        json!(null)
    );
    assert_eq!(
        effort(ResponsesDialect::OPENAI, ThinkingLevel::None),
        json!({"effort": "low", "summary": "auto"}),
        "not every model has none"
    );
    let levels = [
        ThinkingLevel::None,
        ThinkingLevel::Minimal,
        ThinkingLevel::Max,
    ];
    let known = ResponsesDialect {
        levels: ThinkingLevels::of(&levels),
        ..ResponsesDialect::OPENAI
    };
    assert_eq!(
        effort(known, ThinkingLevel::None),
        json!({"effort": "none"})
    );
    for level in &levels[1..] {
        assert_eq!(
            effort(known, *level),
            json!({"effort": level, "summary": "auto"})
        );
    }
    assert_eq!(
        effort(ResponsesDialect::COMPATIBLE, ThinkingLevel::None),
        json!({"effort": "low"})
    );
}

#[test]
fn limits_are_those_of_the_wire() {
    let mut endpoint = endpoint(ResponsesDialect::COMPATIBLE);
    endpoint.output_limit = Some(1);
    endpoint.stop_sequences = vec!["END".to_owned()];
    let body = body(&endpoint, &conversation(vec![Message::user("hi")]));
    assert_eq!(body["max_output_tokens"], 16);
    assert_eq!(body.get("stop"), None);
    assert_eq!(body.get("prompt_cache_key"), None);
}

#[test]
fn the_beginning_of_an_answer_in_a_blob_is_sent() {
    let blob = Block::Blob {
        sha256: "a".repeat(64).parse().unwrap(),
        size: 9_000_000,
        media_type: "text/plain".to_owned(),
        preview: "Once upon".to_owned(),
    };
    let cut_off = AssistantMessage {
        partial: true,
        ..assistant(vec![blob.clone()])
    };
    for answer in [assistant(vec![blob]), cut_off] {
        let conversation = vec![
            Message::user("hi"),
            Message::Assistant(answer),
            Message::user("and?"),
        ];
        let sent = input(ResponsesDialect::COMPATIBLE, conversation);
        let text = sent[1]["content"]
            .as_str()
            .or(sent[1]["content"][0]["text"].as_str());
        assert!(
            text.is_some_and(|text| text.starts_with("Once upon")),
            "{sent}"
        );
    }
}
