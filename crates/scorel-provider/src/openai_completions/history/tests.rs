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
use crate::openai_completions::OpenAiCompletions;
use crate::openai_completions::dialect::{ChatDialect, ChatEndpoint};
use crate::wire::render;
use crate::{NoBlobs, Timeouts};

fn endpoint(dialect: ChatDialect) -> ChatEndpoint {
    ChatEndpoint {
        api: "openai-completions",
        model: ModelInfo {
            provider: "test".to_owned(),
            id: "model-1".to_owned(),
            context_window: 1000,
            max_output_tokens: 100,
            price: None,
        },
        url: Url::parse("http://127.0.0.1/v1/chat/completions").unwrap(),
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

fn body(endpoint: &ChatEndpoint, request: &ModelRequest) -> Value {
    serde_json::from_slice(&render::<OpenAiCompletions>(endpoint, request)).unwrap()
}

fn messages(dialect: ChatDialect, messages: Vec<Message>) -> Value {
    body(&endpoint(dialect), &conversation(messages))["messages"].take()
}

fn assistant(content: Vec<Block>) -> AssistantMessage {
    AssistantMessage {
        content,
        model: "model-1".to_owned(),
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    }
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

fn thinking(text: &str, field: &str) -> Block {
    let tag = endpoint(ChatDialect::COMPATIBLE)
        .origin()
        .tag("field", json!(field));
    Block::Thinking {
        text: text.to_owned(),
        signature: None,
        redacted: false,
        provider: Some(tag),
    }
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
        Message::user("add"),
        Message::Assistant(assistant(vec![call("call_1"), call("call_2")])),
        result("call_1", vec![Block::text("5")]),
        result("call_2", vec![Block::text("6")]),
    ]);
    request.system = "Be brief.".to_owned();
    request.tools = vec![ToolSpec {
        name: "Read".to_owned(),
        description: "Reads.".to_owned(),
        parameters: json!({"type": "object"}).into(),
        read_only: true,
        class: scorel_engine::ToolClass::Inspect,
    }];
    let mut endpoint = endpoint(ChatDialect::COMPATIBLE);
    endpoint.output_limit = Some(4000);
    let arguments = "{\"path\":\"a\"}";
    let function = json!({"name": "Read", "arguments": arguments});
    let expected = json!({
        "model": "model-1",
        "tools": [{"type": "function", "function": {
            "name": "Read", "description": "Reads.", "parameters": {"type": "object"},
        }}],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "add"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_1", "type": "function", "function": function},
                {"id": "call_2", "type": "function", "function": function},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "5"},
            {"role": "tool", "tool_call_id": "call_2", "content": "6"},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
        "max_tokens": 4000,
    });
    assert_eq!(body(&endpoint, &request), expected);
    assert_eq!(
        render::<OpenAiCompletions>(&endpoint, &request),
        render::<OpenAiCompletions>(&endpoint, &request)
    );
}

#[test]
fn empty_messages_are_left_out() {
    let empty = UserMessage {
        content: vec![Block::text("")],
        meta: Meta::default(),
    };
    let rendered = messages(
        ChatDialect::COMPATIBLE,
        vec![
            Message::User(empty),
            Message::Assistant(assistant(vec![
                Block::text(" "),
                thinking("hm", "reasoning"),
            ])),
            Message::Assistant(assistant(vec![Block::text(""), Block::text("yes")])),
        ],
    );
    assert_eq!(rendered, json!([{"role": "assistant", "content": "yes"}]));
}

#[test]
fn only_the_text_of_a_partial_answer_is_sent() {
    let mut partial = assistant(vec![
        thinking("hm", "reasoning_content"),
        Block::text("I beg"),
        call("call_1"),
    ]);
    partial.partial = true;
    let rendered = messages(ChatDialect::COMPATIBLE, vec![Message::Assistant(partial)]);
    assert_eq!(rendered, json!([{"role": "assistant", "content": "I beg"}]));
}

#[test]
fn messages_of_the_daemon_have_the_role_user() {
    let internal = Message::Internal(InternalMessage {
        content: vec![Block::text("<system-reminder>x</system-reminder>")],
        meta: Meta::default(),
    });
    let rendered = messages(ChatDialect::COMPATIBLE, vec![internal]);
    assert_eq!(rendered[0]["role"], "user");
}

#[test]
fn reasoning_goes_back_under_the_name_it_came_under() {
    for field in ["reasoning_content", "reasoning", "reasoning_text"] {
        let answer = assistant(vec![thinking("hm", field), call("call_1")]);
        let rendered = messages(ChatDialect::COMPATIBLE, vec![Message::Assistant(answer)]);
        assert_eq!(rendered[0][field], "hm");
    }
    let answer = assistant(vec![thinking("hm", "content"), Block::text("yes")]);
    let rendered = messages(ChatDialect::MISTRAL, vec![Message::Assistant(answer)]);
    let expected = json!([
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "yes"},
    ]);
    assert_eq!(rendered[0]["content"], expected);
}

#[test]
fn reasoning_of_another_model_does_not_go_back() {
    let mut other = endpoint(ChatDialect::COMPATIBLE);
    other.model.id = "model-2".to_owned();
    let answer = assistant(vec![thinking("hm", "reasoning"), Block::text("yes")]);
    let rendered = body(&other, &conversation(vec![Message::Assistant(answer)]));
    assert_eq!(
        rendered["messages"],
        json!([{"role": "assistant", "content": "yes"}])
    );
}

#[test]
fn reasoning_details_go_back_as_they_came() {
    let details = json!([{"type": "reasoning.encrypted", "data": "x", "id": "call_1"}]);
    let mut answer = assistant(vec![thinking("hm", "reasoning"), call("call_1")]);
    let tag = endpoint(ChatDialect::OPENROUTER)
        .origin()
        .tag("reasoningDetails", details.clone());
    answer.meta.provider = Some(tag);
    let rendered = messages(ChatDialect::OPENROUTER, vec![Message::Assistant(answer)]);
    assert_eq!(rendered[0]["reasoning_details"], details);
    assert_eq!(rendered[0].get("reasoning"), None);
}

#[test]
fn deepseek_gets_reasoning_with_every_call_and_nowhere_else() {
    let silent = assistant(vec![call("call_1")]);
    let aloud = assistant(vec![thinking("hm", "reasoning_content"), call("call_2")]);
    let text = assistant(vec![
        thinking("hm", "reasoning_content"),
        Block::text("yes"),
    ]);
    let answers = [silent, aloud, text].map(Message::Assistant).to_vec();
    let rendered = messages(ChatDialect::DEEPSEEK, answers);
    let replies = rendered.as_array().unwrap().iter();
    let replies: Vec<_> = replies.filter(|it| it["role"] == "assistant").collect();
    assert_eq!(replies[0]["reasoning_content"], "");
    assert_eq!(replies[1]["reasoning_content"], "hm");
    assert_eq!(replies[2].get("reasoning_content"), None);
}

#[test]
fn pictures_are_inlined_and_those_of_results_follow_them() {
    let rendered = messages(
        ChatDialect::COMPATIBLE,
        vec![
            Message::User(UserMessage {
                content: vec![Block::text("look"), picture()],
                meta: Meta::default(),
            }),
            Message::Assistant(assistant(vec![call("call_1"), call("call_2")])),
            result("call_1", vec![picture()]),
            result("call_2", vec![]),
        ],
    );
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}});
    assert_eq!(rendered[0]["content"][1], image);
    assert_eq!(rendered[2]["content"], "(see the picture that follows)");
    assert_eq!(rendered[3]["content"], "(no output)");
    assert_eq!(rendered[4]["role"], "user");
    assert_eq!(rendered[4]["content"][1], image);
}

#[test]
fn a_lost_picture_is_a_note_instead_of_a_failure() {
    let mut endpoint = endpoint(ChatDialect::COMPATIBLE);
    endpoint.blobs = Arc::new(NoBlobs);
    let message = UserMessage {
        content: vec![picture()],
        meta: Meta::default(),
    };
    let rendered = body(&endpoint, &conversation(vec![Message::User(message)]));
    let content = rendered["messages"][0]["content"].as_str().unwrap();
    assert!(content.contains("no longer be read"));
}

#[test]
fn mistral_gets_short_ids_and_never_a_user_after_a_tool() {
    let rendered = messages(
        ChatDialect::MISTRAL,
        vec![
            Message::Assistant(assistant(vec![call("call_123456")])),
            result("call_123456", vec![Block::text("5")]),
            Message::user("next"),
        ],
    );
    let id = &rendered[0]["tool_calls"][0]["id"];
    assert_eq!(id.as_str().unwrap().len(), 9);
    assert_eq!(rendered[1]["tool_call_id"], *id);
    assert_eq!(rendered[0]["content"], "");
    assert_eq!(rendered[2]["role"], "assistant");
    assert_eq!(rendered[3]["content"], "next");
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
    let answer = Message::Assistant(assistant(vec![call]));
    let rendered = messages(ChatDialect::COMPATIBLE, vec![answer]);
    assert_eq!(rendered[0]["tool_calls"][0]["function"]["arguments"], "{}");
}

#[test]
fn the_fields_of_a_host_are_in_its_requests() {
    let request = conversation(vec![Message::Assistant(assistant(vec![call("call_1")]))]);
    let openai = {
        let mut endpoint = endpoint(ChatDialect::OPENAI);
        endpoint.output_limit = Some(9);
        body(&endpoint, &request)
    };
    assert_eq!(openai["max_completion_tokens"], 9);
    assert_eq!(openai["store"], false);
    assert_eq!(openai.get("tools"), None);
    let openrouter = body(&endpoint(ChatDialect::OPENROUTER), &request);
    assert_eq!(openrouter["usage"], json!({"include": true}));
    assert_eq!(openrouter["tools"], json!([]));
    assert_eq!(openrouter.get("max_tokens"), None);
}

#[test]
fn a_model_without_reasoning_gets_no_thinking_level() {
    let mut request = conversation(vec![Message::user("hi")]);
    request.thinking = ThinkingLevel::High;
    let mut endpoint = endpoint(ChatDialect::OPENAI);
    assert_eq!(body(&endpoint, &request)["reasoning_effort"], "high");
    endpoint.reasoning = false;
    assert_eq!(body(&endpoint, &request).get("reasoning_effort"), None);
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
        let sent = messages(ChatDialect::COMPATIBLE, conversation);
        let text = sent[1]["content"]
            .as_str()
            .or(sent[1]["content"][0]["text"].as_str());
        assert!(
            text.is_some_and(|text| text.starts_with("Once upon")),
            "{sent}"
        );
    }
}
