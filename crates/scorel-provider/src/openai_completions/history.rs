//! Renders a conversation as `messages`.

mod assistant;
mod call_id;

use scorel_proto::{Block, Message, ToolResultBlock};
use scorel_runtime::ModelRequest;
use serde_json::{Value, json};

use super::chat_message::{ChatMessage, ChatRole};
use super::dialect::ChatEndpoint;
use crate::wire::{InputContent, joined};

/// The system prompt and the conversation, without empty blocks and messages.
pub(super) fn render<'a>(
    endpoint: &'a ChatEndpoint,
    request: &'a ModelRequest,
) -> Vec<ChatMessage<'a>> {
    let mut history = ChatHistory {
        endpoint,
        messages: Vec::with_capacity(request.messages.len() + 1),
        images: Vec::new(),
    };
    if !request.system.is_empty() {
        let system = ChatMessage::text(ChatRole::System, request.system.as_str());
        history.messages.push(system);
    }
    for message in &request.messages {
        history.add(message);
    }
    history.flush_images();
    history.messages
}

struct ChatHistory<'a> {
    endpoint: &'a ChatEndpoint,
    messages: Vec<ChatMessage<'a>>,
    /// Images in tool results. Tool messages cannot carry images, so they follow in a user message
    /// after the last result.
    images: Vec<Value>,
}

impl<'a> ChatHistory<'a> {
    fn add(&mut self, message: &'a Message) {
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

    fn add_user(&mut self, content: &'a [Block]) {
        let mut contents = InputContent::all(self.endpoint, content);
        let message = match (contents.next(), contents.next()) {
            (None, _) => return,
            // Some servers do not know arrays of parts, so a single text is sent as a string.
            (Some(InputContent::Text(text)), None) => ChatMessage::text(ChatRole::User, text),
            (first, second) => {
                let all = first.into_iter().chain(second).chain(contents);
                ChatMessage::user_parts(all.map(part).collect())
            }
        };
        self.push_user(message);
    }

    fn push_user(&mut self, message: ChatMessage<'a>) {
        let after_tool = self
            .messages
            .last()
            .is_some_and(ChatMessage::is_tool_result);
        if after_tool && self.endpoint.dialect.assistant_after_tool {
            let filler = ChatMessage::text(ChatRole::Assistant, "Done.");
            self.messages.push(filler);
        }
        self.messages.push(message);
    }

    fn add_result(&mut self, result: &'a ToolResultBlock) {
        let mut texts = Vec::new();
        let mut images = Vec::new();
        for content in InputContent::all(self.endpoint, &result.content) {
            match content {
                InputContent::Text(text) => texts.push(text),
                image @ InputContent::Image { .. } => images.push(part(image)),
            }
        }
        let text = match (texts.is_empty(), images.is_empty()) {
            (false, _) => joined(texts),
            (true, true) => "(no output)".into(),
            (true, false) => "(see the picture that follows)".into(),
        };
        let id = call_id::render(self.endpoint.dialect.call_ids, &result.tool_use_id);
        self.messages.push(ChatMessage::tool_result(id, text));
        self.images.append(&mut images);
    }

    fn flush_images(&mut self) {
        if self.images.is_empty() {
            return;
        }
        let mut parts = vec![json!({"type": "text", "text": "Pictures from the tool results:"})];
        parts.append(&mut self.images);
        self.push_user(ChatMessage::user_parts(parts));
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
