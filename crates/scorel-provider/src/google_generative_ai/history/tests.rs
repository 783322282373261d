use std::sync::Arc;

use scorel_engine::{ModelInfo, ModelRequest, ThinkingLevel, ToolSpec};
use scorel_proto::{
    AssistantMessage, Block, Message, Meta, StopReason, ToolResultBlock, ToolResultMessage,
    UserMessage,
};
use serde_json::{Value, json};

use crate::Timeouts;
use crate::blobs::OneBlob;
use crate::google_generative_ai::GoogleGenerativeAi;
use crate::google_generative_ai::dialect::GeminiEndpoint;
use crate::google_generative_ai::family::GeminiFamily;
use crate::google_generative_ai::passback::{self, CallFacts, SignedSpan};
use crate::http::Http;
use crate::wire::render;

const OLD: &str = "gemini-2.5-flash";
const NEW: &str = "gemini-3-flash-preview";

fn endpoint(model: &str) -> GeminiEndpoint {
    GeminiEndpoint {
        api: "google-generative-ai",
        model: ModelInfo {
            provider: "test".to_owned(),
            id: model.to_owned(),
            context_window: 1000,
            max_output_tokens: 100,
            price: None,
        },
        url: "http://127.0.0.1/".parse().unwrap(),
        key: None,
        dialect: (),
        levels: GeminiFamily::of(model).least_levels(),
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

fn body(endpoint: &GeminiEndpoint, request: &ModelRequest) -> Value {
    serde_json::from_slice(&render::<GoogleGenerativeAi>(endpoint, request)).unwrap()
}

fn contents(model: &str, messages: Vec<Message>) -> Value {
    body(&endpoint(model), &conversation(messages))["contents"].take()
}

fn answer(content: Vec<Block>) -> Message {
    Message::Assistant(message(content))
}

fn message(content: Vec<Block>) -> AssistantMessage {
    AssistantMessage {
        content,
        model: "any".to_owned(),
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    }
}

fn text(text: &str, provider: Value) -> Block {
    Block::Text {
        text: text.to_owned(),
        part: None,
        template_ref: None,
        provider: Some(provider),
    }
}

fn call(id: &str, provider: Option<Value>) -> Block {
    Block::ToolUse {
        id: id.to_owned(),
        name: "Read".to_owned(),
        input: json!({"path": "a"}),
        invalid_input: None,
        provider,
    }
}

/// The facts stored with a call of that model.
fn facts(model: &str, id: Option<&str>, signature: Option<&str>) -> Option<Value> {
    let facts = CallFacts {
        id: id.map(str::to_owned),
        signature: signature.map(str::to_owned),
    };
    Some(endpoint(model).origin().tag(passback::CALL, json!(facts)))
}

fn signed(model: &str, start: usize, end: usize) -> Value {
    let span = SignedSpan {
        start,
        end,
        signature: "sig".to_owned(),
    };
    endpoint(model)
        .origin()
        .tag(passback::SIGNED, json!([span]))
}

fn result(id: &str, content: Vec<Block>, is_error: bool) -> Message {
    let result = ToolResultBlock {
        tool_use_id: id.to_owned(),
        content,
        is_error,
        details: None,
    };
    Message::ToolResult(ToolResultMessage::new("Read", result, 1))
}

fn picture() -> Block {
    Block::Image {
        media_type: "image/png".to_owned(),
        blob: "a".repeat(64).parse().unwrap(),
    }
}

#[test]
fn a_whole_request_has_the_shape_that_was_recorded() {
    let mut request = conversation(vec![
        Message::user("read"),
        answer(vec![
            call("call_1", facts(NEW, Some("x1"), Some("sig"))),
            call("call_2", facts(NEW, None, None)),
        ]),
        // The order of the calls is that of the responses, whatever was ready first.
        result("call_2", vec![Block::text("no such file")], true),
        result("call_1", vec![Block::text("5")], false),
    ]);
    request.system = "Be brief.".to_owned();
    request.thinking = ThinkingLevel::Low;
    let schema = json!({"type": "object", "additionalProperties": false});
    request.tools = vec![ToolSpec {
        name: "Read".to_owned(),
        description: "Reads.".to_owned(),
        parameters: schema.clone().into(),
        read_only: true,
        class: scorel_engine::ToolClass::Inspect,
    }];
    let mut endpoint = endpoint(NEW);
    endpoint.output_limit = Some(4000);
    endpoint.stop_sequences = vec!["END".to_owned()];
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [
            {"name": "Read", "description": "Reads.", "parametersJsonSchema": schema},
        ]}],
        "contents": [
            {"role": "user", "parts": [{"text": "read"}]},
            {"role": "model", "parts": [
                {"functionCall": {"id": "x1", "name": "Read", "args": {"path": "a"}},
                 "thoughtSignature": "sig"},
                {"functionCall": {"name": "Read", "args": {"path": "a"}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "x1", "name": "Read", "response": {"output": "5"}}},
                {"functionResponse": {"name": "Read", "response": {"error": "no such file"}}},
            ]},
        ],
        "generationConfig": {
            "maxOutputTokens": 4000,
            "stopSequences": ["END"],
            "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "LOW"},
        },
    });
    assert_eq!(body(&endpoint, &request), expected);
    assert_eq!(
        render::<GoogleGenerativeAi>(&endpoint, &request),
        render::<GoogleGenerativeAi>(&endpoint, &request)
    );
}

#[test]
fn a_longer_conversation_begins_with_the_same_bytes() {
    let mut messages = vec![Message::user("one"), answer(vec![Block::text("two")])];
    let endpoint = endpoint("gemma-3");
    let short = render::<GoogleGenerativeAi>(&endpoint, &conversation(messages.clone()));
    messages.push(Message::user("three"));
    let long = render::<GoogleGenerativeAi>(&endpoint, &conversation(messages));
    // All but the brackets that close it.
    assert!(long.starts_with(&short[..short.len() - 2]));
}

#[test]
fn signatures_go_back_on_the_parts_they_came_on() {
    let answers = vec![
        Message::user("hi"),
        answer(vec![
            text("abcdef", signed(NEW, 2, 4)),
            call("call_1", facts(NEW, None, Some("sig-c"))),
            text("", signed(NEW, 0, 0)),
        ]),
    ];
    let expected = json!([
        {"text": "ab"},
        {"text": "cd", "thoughtSignature": "sig"},
        {"text": "ef"},
        {"functionCall": {"name": "Read", "args": {"path": "a"}}, "thoughtSignature": "sig-c"},
        {"text": "", "thoughtSignature": "sig"},
    ]);
    assert_eq!(contents(NEW, answers)[1]["parts"], expected);
}

#[test]
fn a_signature_whose_text_has_changed_is_left_out() {
    for (start, end) in [(2, 40), (9, 9), (3, 1), (1, 2)] {
        let changed = text("aéb", signed(NEW, start, end));
        let sent = contents(NEW, vec![Message::user("hi"), answer(vec![changed])]);
        assert_eq!(sent[1]["parts"], json!([{"text": "aéb"}]), "{start}..{end}");
    }
}

#[test]
fn signed_parts_of_another_model_do_not_go_back() {
    let origin = endpoint(OLD).origin();
    let opaque = origin.tag(passback::PART, json!({"executableCode": {"code": "1"}}));
    let thinking = Block::Thinking {
        text: "hm".to_owned(),
        signature: Some("sig".to_owned()),
        redacted: false,
        provider: Some(origin.tag(passback::THOUGHT, json!("sig"))),
    };
    let answers = || {
        vec![
            Message::user("hi"),
            answer(vec![
                thinking.clone(),
                text("", opaque.clone()),
                text("abcdef", signed(OLD, 2, 4)),
                call("call_1", facts(OLD, Some("x1"), Some("sig"))),
                call("call_2", facts(OLD, None, None)),
            ]),
            result("call_1", vec![], false),
            result("call_2", vec![], false),
        ]
    };
    let foreign = contents(NEW, answers());
    let call = json!({"name": "Read", "args": {"path": "a"}});
    let expected = json!([
        {"text": "abcdef"},
        {"functionCall": call, "thoughtSignature": "skip_thought_signature_validator"},
        {"functionCall": call},
    ]);
    assert_eq!(foreign[1]["parts"], expected);
    let response = &foreign[2]["parts"][0]["functionResponse"];
    assert_eq!(
        *response,
        json!({"name": "Read", "response": {"output": "(no output)"}})
    );
    let own = contents(OLD, answers());
    let thought = json!({"text": "hm", "thought": true, "thoughtSignature": "sig"});
    assert_eq!(own[1]["parts"][0], thought);
    assert_eq!(own[1]["parts"][1], json!({"executableCode": {"code": "1"}}));
    assert_eq!(own[1]["parts"][5]["functionCall"]["id"], "x1");
    assert_eq!(own[2]["parts"][0]["functionResponse"]["id"], "x1");
}

#[test]
fn older_models_need_no_signature_on_foreign_calls() {
    let sent = contents(
        OLD,
        vec![Message::user("hi"), answer(vec![call("call_1", None)])],
    );
    let expected = json!([{"functionCall": {"name": "Read", "args": {"path": "a"}}}]);
    assert_eq!(sent[1]["parts"], expected);
}

#[test]
fn roles_take_turns_and_the_user_begins() {
    let empty = UserMessage {
        content: vec![Block::text(" ")],
        meta: Meta::default(),
    };
    let sent = contents(
        OLD,
        vec![
            answer(vec![Block::text("one")]),
            answer(vec![Block::text(""), Block::text("two")]),
            Message::User(empty),
            answer(vec![call("call_1", None)]),
            result("call_1", vec![Block::text("5")], false),
            Message::user("three"),
            Message::user("four"),
        ],
    );
    let roles: Vec<_> = sent
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["role"])
        .collect();
    assert_eq!(roles, ["user", "model", "user"]);
    assert_eq!(sent[1]["parts"][1]["text"], "two");
    assert!(sent[2]["parts"][0]["functionResponse"].is_object());
    assert_eq!(sent[2]["parts"][2]["text"], "four");
}

#[test]
fn only_the_text_of_a_partial_answer_is_sent() {
    let origin = endpoint(NEW).origin();
    let mut partial = message(vec![
        Block::Thinking {
            text: "hm".to_owned(),
            signature: None,
            redacted: false,
            provider: Some(origin.tag(passback::THOUGHT, json!("sig"))),
        },
        text("I beg", signed(NEW, 0, 5)),
        text("", signed(NEW, 0, 0)),
        call("call_1", facts(NEW, None, Some("sig"))),
    ]);
    partial.partial = true;
    let sent = contents(NEW, vec![Message::user("hi"), Message::Assistant(partial)]);
    assert_eq!(sent[1]["parts"], json!([{"text": "I beg"}]));
}

#[test]
fn pictures_are_inlined_inside_responses_where_the_model_knows_that() {
    let messages = || {
        vec![
            Message::User(UserMessage {
                content: vec![Block::text("look"), picture()],
                meta: Meta::default(),
            }),
            answer(vec![call("call_1", None), call("call_2", None)]),
            result("call_1", vec![picture()], false),
            result("call_2", vec![Block::text("5")], false),
        ]
    };
    let image = json!({"inlineData": {"mimeType": "image/png", "data": "cG5n"}});
    let sent = contents(OLD, messages());
    assert_eq!(sent[0]["parts"][1], image);
    let beside = sent[2]["parts"].as_array().unwrap();
    assert!(beside[1]["functionResponse"].is_object());
    assert_eq!(beside[3], image);
    let sent = contents(NEW, messages());
    let inside = sent[2]["parts"].as_array().unwrap();
    assert_eq!(inside.len(), 2);
    assert_eq!(inside[0]["functionResponse"]["parts"], json!([image]));
}

#[test]
fn a_model_without_reasoning_gets_no_thinking_level() {
    let request = conversation(vec![Message::user("hi")]);
    let mut endpoint = endpoint(NEW);
    let config = json!({"thinkingConfig": {"includeThoughts": true}});
    assert_eq!(body(&endpoint, &request)["generationConfig"], config);
    endpoint.reasoning = false;
    assert_eq!(body(&endpoint, &request).get("generationConfig"), None);
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
        ..message(vec![blob.clone()])
    };
    for answer in [message(vec![blob]), cut_off] {
        let sent = contents(
            NEW,
            vec![
                Message::user("hi"),
                Message::Assistant(answer),
                Message::user("and?"),
            ],
        );
        let text = sent[1]["parts"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("Once upon"), "{text}");
    }
}
