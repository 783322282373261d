//! Messages in the form of OpenAI's chat completions.

use scorel_proto::{AssistantMessage, Block, Message, TextPart, ToolResultMessage};
use serde_json::{Map, Value, json};

pub(super) fn system(text: &str) -> Value {
    json!({ "role": "system", "content": text })
}

/// A message of a context. Each part of a run's message is a message of its own, since a message's content is one
/// text there.
pub(super) fn chat_messages(message: &Message) -> Vec<Value> {
    match message {
        Message::User(message) => user(&message.content),
        Message::Internal(message) => user(&message.content),
        Message::Assistant(message) => vec![assistant(message)],
        Message::ToolResult(message) => vec![tool(message)],
    }
}

/// The texts of blocks, and what stands for the others.
pub(super) fn text_of(content: &[Block]) -> String {
    let texts: Vec<String> = content.iter().map(text).collect();
    texts.join("\n")
}

fn text(block: &Block) -> String {
    match block {
        Block::Image { media_type, blob } => format!("[{media_type}, blob {blob}]"),
        Block::Blob { sha256, size, .. } => format!("[{size} bytes, blob {sha256}]"),
        block => block.plain_text(),
    }
}

fn user(content: &[Block]) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut plain: Vec<Block> = Vec::new();
    for block in content {
        match block {
            Block::Text {
                text,
                part,
                template_ref,
                ..
            } if part.is_some() || template_ref.is_some() => {
                messages.extend(said(&std::mem::take(&mut plain)));
                messages.push(of_run(text, *part, template_ref.as_deref()));
            }
            block => plain.push(block.clone()),
        }
    }
    messages.extend(said(&plain));
    messages
}

fn said(content: &[Block]) -> Option<Value> {
    let text = || json!({ "role": "user", "content": text_of(content) });
    (!content.is_empty()).then(text)
}

fn of_run(text: &str, part: Option<TextPart>, template: Option<&str>) -> Value {
    let mut message = json!({ "role": "user", "content": text });
    if let Some(part) = part {
        message["part"] = part.name().into();
    }
    if let Some(template) = template {
        message["templateRef"] = template.into();
    }
    message
}

/// Reasoning is no content there. It stands beside it.
pub(super) fn assistant(message: &AssistantMessage) -> Value {
    let mut texts = Vec::new();
    let mut thoughts = Vec::new();
    let mut calls = Vec::new();
    for block in &message.content {
        match block {
            Block::Thinking { text, .. } if text.is_empty() => {}
            Block::Thinking { text, .. } => thoughts.push(text.as_str()),
            Block::ToolUse {
                id,
                name,
                input,
                invalid_input,
                ..
            } => {
                let arguments = invalid_input.clone().unwrap_or_else(|| input.to_string());
                let function = json!({ "name": name, "arguments": arguments });
                calls.push(json!({ "id": id, "type": "function", "function": function }));
            }
            block => texts.push(text(block)),
        }
    }
    let mut chat = Map::new();
    chat.insert("role".to_owned(), "assistant".into());
    let content = (!texts.is_empty()).then(|| texts.join("\n"));
    chat.insert("content".to_owned(), content.into());
    if !thoughts.is_empty() {
        chat.insert("reasoning".to_owned(), thoughts.join("\n").into());
    }
    if !calls.is_empty() {
        chat.insert("tool_calls".to_owned(), calls.into());
    }
    chat.into()
}

fn tool(message: &ToolResultMessage) -> Value {
    let result = message.result();
    json!({
        "role": "tool",
        "tool_call_id": result.tool_use_id,
        "content": text_of(&result.content),
    })
}
