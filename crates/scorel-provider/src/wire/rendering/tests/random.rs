//! Messages as they come from any model, tool and user, in any order.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use scorel_engine::ModelInfo;
use scorel_proto::{
    AssistantMessage, Block, InternalMessage, Message, Meta, StopReason, ToolResultBlock,
    ToolResultMessage, UserMessage,
};
use serde_json::{Value, json};

use super::endpoints::MODEL;
use crate::wire::ModelOrigin;

pub(super) fn message() -> BoxedStrategy<Message> {
    let user = vec(input(), 0..3).prop_map(|content| {
        let meta = Meta::default();
        Message::User(UserMessage { content, meta })
    });
    let internal = vec(input(), 0..2).prop_map(|content| {
        let meta = Meta::default();
        Message::Internal(InternalMessage { content, meta })
    });
    let result = (id(), vec(input(), 0..3), any::<bool>()).prop_map(|(id, content, is_error)| {
        let result = ToolResultBlock {
            tool_use_id: id,
            content,
            is_error,
            details: None,
        };
        Message::ToolResult(ToolResultMessage::new("Read", result, 1))
    });
    let is_partial = prop_oneof![6 => Just(false), 1 => Just(true)];
    let content = vec(output(), 0..4);
    let assistant = (content, is_partial, opaque()).prop_map(|(content, partial, opaque)| {
        let mut message = assistant(content);
        message.partial = partial;
        message.meta.provider = opaque;
        Message::Assistant(message)
    });
    prop_oneof![2 => user, 1 => internal, 4 => assistant, 4 => result].boxed()
}

pub(super) fn answer(text: &str) -> Message {
    Message::Assistant(assistant(vec![Block::text(text)]))
}

pub(super) fn picture() -> Message {
    Message::User(UserMessage {
        content: vec![Block::text("look"), image()],
        meta: Meta::default(),
    })
}

fn assistant(content: Vec<Block>) -> AssistantMessage {
    AssistantMessage {
        content,
        model: MODEL.to_owned(),
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    }
}

fn image() -> Block {
    Block::Image {
        media_type: "image/png".to_owned(),
        blob: "a".repeat(64).parse().unwrap(),
    }
}

fn id() -> impl Strategy<Value = String> {
    select(vec!["call_0", "call_1", "call 2", ""]).prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    select(vec![
        "",
        " ",
        "hi",
        "ends with a space ",
        "\"quoted\"\n\u{1}ä",
    ])
    .prop_map(str::to_owned)
}

fn input() -> impl Strategy<Value = Block> {
    prop_oneof![4 => text().prop_map(Block::text), 1 => Just(image())]
}

fn output() -> impl Strategy<Value = Block> {
    let call = (id(), text(), origin()).prop_map(|(id, name, origin)| Block::ToolUse {
        id,
        name,
        input: json!({"path": "a"}),
        invalid_input: None,
        provider: Some(origin.tag("caller", json!({"type": "direct"}))),
    });
    let facts = select(vec!["signed", "field", "reasoning"]);
    let thinking = (text(), origin(), facts).prop_map(|(text, origin, fact)| Block::Thinking {
        text,
        signature: Some("s".to_owned()),
        redacted: false,
        provider: Some(origin.tag(fact, json!("reasoning_content"))),
    });
    prop_oneof![3 => text().prop_map(Block::text), 3 => call, 2 => thinking]
}

/// The blocks that an endpoint's own tools left in a message, in pairs and alone.
fn opaque() -> impl Strategy<Value = Option<Value>> {
    let used = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": []});
    let blocks = vec((0..3_usize, select(vec![used, found])), 0..3).prop_map(|blocks| {
        let blocks = blocks.into_iter();
        blocks
            .map(|(at, block)| json!({"at": at, "block": block}))
            .collect::<Value>()
    });
    let tagged = (blocks, origin()).prop_map(|(blocks, origin)| origin.tag("blocks", blocks));
    prop_oneof![3 => Just(None), 1 => tagged.prop_map(Some)]
}

fn origin() -> impl Strategy<Value = ModelOrigin> {
    let origins = vec![
        ("openai-completions", MODEL),
        ("openai-completions", "anthropic/claude-sonnet-4-5"),
        ("anthropic-messages", "claude-sonnet-4-5"),
        ("anthropic-messages", MODEL),
        ("google-generative-ai", "gemini-3-flash-preview"),
        ("openai-responses", MODEL),
    ];
    select(origins).prop_map(|(api, id)| {
        let model = ModelInfo {
            provider: "test".to_owned(),
            id: id.to_owned(),
            context_window: 1,
            max_output_tokens: 1,
            price: None,
        };
        ModelOrigin::new(api, &model)
    })
}
