use scorel_proto::{
    Block, InternalMessage, Message, Meta, StopReason, ToolResultBlock, ToolResultMessage,
    UserMessage,
};
use serde_json::{Value, json};

use crate::anthropic_messages::dialect::AnthropicEndpoint;
use crate::anthropic_messages::samples::{
    MODEL, answer, assistant, body, call, conversation, endpoint, messages, origin, picture,
    result, text, thinking,
};
use crate::wire::ModelOrigin;

#[test]
fn empty_messages_are_left_out() {
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
fn only_the_text_of_a_partial_answer_is_sent() {
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
fn reasoning_of_other_models_does_not_go_back() {
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
    let content =
        |endpoint: &AnthropicEndpoint| body(endpoint, &request)["messages"][1]["content"].take();
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
        part: None,
        template_ref: None,
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
fn results_hold_pictures_unless_they_are_errors() {
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
fn ids_of_other_wires_are_rewritten_and_stay_unique() {
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
fn the_beginning_of_an_answer_in_a_blob_is_sent() {
    let blob = Block::Blob {
        sha256: "a".repeat(64).parse().unwrap(),
        size: 9_000_000,
        media_type: "text/plain".to_owned(),
        preview: "Once upon".to_owned(),
    };
    let rendered = messages(vec![
        Message::user("hi"),
        answer(vec![blob]),
        Message::user("and?"),
    ]);
    let sent = rendered[1]["content"][0]["text"].as_str().unwrap();
    assert!(sent.starts_with("Once upon"), "{sent}");
}
