//! Conversations for tests.

use std::sync::Arc;

use reqwest::Url;
use scorel_engine::{ModelInfo, ModelRequest, ThinkingLevel, ToolSpec};
use scorel_proto::{
    AssistantMessage, Block, Message, Meta, StopReason, ToolResultBlock, ToolResultMessage,
};
use serde_json::{Value, json};

use super::AnthropicMessages;
use super::dialect::{AnthropicDialect, AnthropicEndpoint};
use super::thinking::ClaudeThinking;
use crate::Timeouts;
use crate::blobs::OneBlob;
use crate::http::Http;
use crate::wire::{ModelOrigin, render};

pub(super) fn endpoint(model: &str) -> AnthropicEndpoint {
    AnthropicEndpoint {
        api: "anthropic-messages",
        model: ModelInfo {
            provider: "test".to_owned(),
            id: model.to_owned(),
            context_window: 200_000,
            max_output_tokens: 64_000,
            price: None,
        },
        url: Url::parse("http://127.0.0.1/v1/messages").unwrap(),
        key: None,
        dialect: AnthropicDialect::ANTHROPIC,
        levels: ClaudeThinking::of(model).levels(),
        output_limit: None,
        reasoning: true,
        images: true,
        stop_sequences: Vec::new(),
        blobs: Arc::new(OneBlob),
        http: Arc::new(Http::new(Timeouts::default())),
    }
}

pub(super) const MODEL: &str = "claude-sonnet-4-5";

pub(super) fn origin() -> ModelOrigin {
    endpoint(MODEL).origin()
}

pub(super) fn conversation(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: String::new(),
        messages: messages.into(),
        tools: Vec::new(),
        thinking: ThinkingLevel::Default,
    }
}

pub(super) fn body(endpoint: &AnthropicEndpoint, request: &ModelRequest) -> Value {
    serde_json::from_slice(&render::<AnthropicMessages>(endpoint, request)).unwrap()
}

/// The messages without their marks for the cache.
pub(super) fn messages(messages: Vec<Message>) -> Value {
    let mut body = body(&endpoint(MODEL), &conversation(messages));
    for message in body["messages"].as_array_mut().unwrap() {
        for block in message["content"].as_array_mut().unwrap() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
    }
    body["messages"].take()
}

pub(super) fn assistant(content: Vec<Block>) -> AssistantMessage {
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

pub(super) fn answer(content: Vec<Block>) -> Message {
    Message::Assistant(assistant(content))
}

pub(super) fn call(id: &str) -> Block {
    Block::ToolUse {
        id: id.to_owned(),
        name: "Read".to_owned(),
        input: json!({"path": "a"}),
        invalid_input: None,
        provider: None,
    }
}

pub(super) fn result(id: &str, content: Vec<Block>) -> Message {
    let result = ToolResultBlock {
        tool_use_id: id.to_owned(),
        content,
        is_error: false,
        details: None,
    };
    Message::ToolResult(ToolResultMessage::new("Read", result, 1))
}

pub(super) fn thinking(text: &str, origin: &ModelOrigin, redacted: bool) -> Block {
    Block::Thinking {
        text: text.to_owned(),
        signature: Some("sig".to_owned()),
        redacted,
        provider: Some(origin.tag("signed", json!(true))),
    }
}

pub(super) fn picture(media_type: &str) -> Block {
    Block::Image {
        media_type: media_type.to_owned(),
        blob: "a".repeat(64).parse().unwrap(),
    }
}

pub(super) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub(super) fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: "Does.".to_owned(),
        parameters: json!({"type": "object"}).into(),
        read_only: true,
        class: scorel_engine::ToolClass::Inspect,
    }
}
