//! Renders a conversation as `messages`.

mod assistant;
mod call_id;

use scorel_proto::{Block, Message, ToolResultBlock};
use scorel_runtime::ModelRequest;
use serde_json::{Value, json};

use super::dialect::Endpoint;
use crate::wire::InputContent;

/// The system prompt and the conversation, without empty blocks and messages.
pub(super) fn render(endpoint: &Endpoint, request: &ModelRequest) -> Vec<Value> {
    let mut history = ChatHistory {
        endpoint,
        messages: Vec::new(),
        images: Vec::new(),
    };
    if !request.system.is_empty() {
        let system = json!({"role": "system", "content": request.system});
        history.messages.push(system);
    }
    for message in &request.messages {
        history.add(message);
    }
    history.flush_images();
    history.messages
}

struct ChatHistory<'a> {
    endpoint: &'a Endpoint,
    messages: Vec<Value>,
    /// Images in tool results. Tool messages cannot carry images, so they follow in a user message
    /// after the last result.
    images: Vec<Value>,
}

impl ChatHistory<'_> {
    fn add(&mut self, message: &Message) {
        if !matches!(message, Message::ToolResult(_)) {
            self.flush_images();
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
        let parts = InputContent::all(self.endpoint, content).map(part);
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
        // Some servers do not know arrays of parts, so a single text is sent as a string.
        let content = match &mut parts[..] {
            [part] if part["type"] == "text" => part["text"].take(),
            _ => json!(parts),
        };
        self.messages
            .push(json!({"role": "user", "content": content}));
    }

    fn add_result(&mut self, result: &ToolResultBlock) {
        let mut texts = Vec::new();
        let mut images = Vec::new();
        for content in InputContent::all(self.endpoint, &result.content) {
            match content {
                InputContent::Text(text) => texts.push(text),
                image @ InputContent::Image { .. } => images.push(part(image)),
            }
        }
        let text = match (texts.is_empty(), images.is_empty()) {
            (false, _) => texts.join("\n"),
            (true, true) => "(no output)".to_owned(),
            (true, false) => "(see the picture that follows)".to_owned(),
        };
        let id = call_id::render(self.endpoint.dialect.call_ids, &result.tool_use_id);
        self.messages
            .push(json!({"role": "tool", "tool_call_id": id, "content": text}));
        self.images.append(&mut images);
    }

    fn flush_images(&mut self) {
        if self.images.is_empty() {
            return;
        }
        let mut parts = vec![json!({"type": "text", "text": "Pictures from the tool results:"})];
        parts.append(&mut self.images);
        self.push_user(parts);
    }
}

fn part(content: InputContent<'_>) -> Value {
    match content {
        InputContent::Text(text) => json!({"type": "text", "text": text}),
        InputContent::Image { media_type, data } => json!({
            "type": "image_url",
            "image_url": {"url": format!("data:{media_type};base64,{data}")},
        }),
    }
}

#[cfg(test)]
mod tests;
