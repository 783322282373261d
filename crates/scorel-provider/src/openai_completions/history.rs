//! Renders a conversation as the wire's messages.

mod assistant;
mod call_id;

use scorel_proto::{Block, Message, ToolResultBlock};
use scorel_runtime::ModelRequest;
use serde_json::{Value, json};

use super::Endpoint;
use crate::wire::Content;

/// The system prompt and the conversation. Blocks and messages that hold nothing are left out.
pub(super) fn render(endpoint: &Endpoint, request: &ModelRequest) -> Vec<Value> {
    let mut history = History {
        endpoint,
        messages: Vec::new(),
        pictures: Vec::new(),
    };
    if !request.system.is_empty() {
        let system = json!({"role": "system", "content": request.system});
        history.messages.push(system);
    }
    for message in &request.messages {
        history.add(message);
    }
    history.show_pictures();
    history.messages
}

struct History<'a> {
    endpoint: &'a Endpoint,
    messages: Vec<Value>,
    /// Pictures in tool results, which the wire wants in a user message after them.
    pictures: Vec<Value>,
}

impl History<'_> {
    fn add(&mut self, message: &Message) {
        if !matches!(message, Message::ToolResult(_)) {
            self.show_pictures();
        }
        match message {
            Message::User(message) => self.add_user(&message.content),
            Message::Internal(message) => self.add_user(&message.content),
            Message::Assistant(message) => {
                self.messages
                    .extend(assistant::render(self.endpoint, message));
            }
            Message::ToolResult(message) => self.add_result(message.result()),
        }
    }

    fn add_user(&mut self, content: &[Block]) {
        let parts = content
            .iter()
            .filter_map(|block| part(self.endpoint, block));
        self.push_user(parts.collect());
    }

    fn push_user(&mut self, mut parts: Vec<Value>) {
        if parts.is_empty() {
            return;
        }
        let after_tool = self
            .messages
            .last()
            .is_some_and(|last| last["role"] == "tool");
        if after_tool && self.endpoint.dialect.assistant_after_tool {
            let filler = json!({"role": "assistant", "content": "Done."});
            self.messages.push(filler);
        }
        // One text goes as a plain string, which every server understands.
        let content = match &mut parts[..] {
            [part] if part["type"] == "text" => part["text"].take(),
            _ => json!(parts),
        };
        self.messages
            .push(json!({"role": "user", "content": content}));
    }

    fn add_result(&mut self, result: &ToolResultBlock) {
        let mut texts = Vec::new();
        let mut pictures = 0;
        for part in result
            .content
            .iter()
            .filter_map(|block| part(self.endpoint, block))
        {
            match part["text"].as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => {
                    pictures += 1;
                    self.pictures.push(part);
                }
            }
        }
        let text = match (texts.is_empty(), pictures) {
            (false, _) => texts.join("\n"),
            (true, 0) => "(no output)".to_owned(),
            (true, _) => "(see the picture that follows)".to_owned(),
        };
        let id = call_id::render(self.endpoint.dialect.call_ids, &result.tool_use_id);
        self.messages
            .push(json!({"role": "tool", "tool_call_id": id, "content": text}));
    }

    fn show_pictures(&mut self) {
        if self.pictures.is_empty() {
            return;
        }
        let mut parts = vec![json!({"type": "text", "text": "Pictures from the tool results:"})];
        parts.append(&mut self.pictures);
        self.push_user(parts);
    }
}

/// A block as a part of a message; `None` if it holds nothing to say.
fn part(endpoint: &Endpoint, block: &Block) -> Option<Value> {
    Some(match Content::of(endpoint, block)? {
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Image { media_type, data } => json!({
            "type": "image_url",
            "image_url": {"url": format!("data:{media_type};base64,{data}")},
        }),
    })
}

#[cfg(test)]
mod tests;
