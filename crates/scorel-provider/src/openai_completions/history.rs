//! Renders a conversation as `messages`.

mod assistant;
mod call_id;

use scorel_proto::{Block, Message, ToolResultBlock};
use serde_json::{Value, json};

use super::cache;
use super::chat_message::{ChatMessage, ChatRole};
use super::dialect::{ChatDialect, ChatEndpoint};
use crate::wire::{InputContent, JsonBody, WireHistory};

/// Leaves out empty blocks and messages.
#[derive(Debug, Default)]
pub(crate) struct ChatHistory {
    /// True if the newest message is a tool result.
    after_result: bool,
    /// Images in tool results. Tool messages cannot carry images, so they follow in a user message
    /// after the last result.
    images: Vec<Value>,
    /// Where texts are marked for the cache: the last message that takes a mark, and those after it.
    held: Vec<Value>,
}

impl WireHistory<ChatDialect> for ChatHistory {
    fn add(&mut self, endpoint: &ChatEndpoint, message: &Message, body: &mut JsonBody) {
        if !matches!(message, Message::ToolResult(_)) {
            let images = std::mem::take(&mut self.images);
            for message in self.pictures(endpoint, images) {
                self.push(endpoint, message, body);
            }
        }
        match message {
            Message::User(message) => self.add_user(endpoint, &message.content, body),
            Message::Internal(message) => self.add_user(endpoint, &message.content, body),
            Message::Assistant(message) => {
                if let Some(message) = assistant::render(endpoint, message) {
                    self.push(endpoint, message, body);
                }
            }
            Message::ToolResult(message) => self.add_result(endpoint, message.result(), body),
        }
    }

    fn finish(&self, endpoint: &ChatEndpoint, body: &mut JsonBody) {
        let images = self.pictures(endpoint, self.images.clone());
        if !cache::wants_marks(endpoint) {
            images.iter().for_each(|message| body.item(message));
            return;
        }
        let images: Vec<Value> = images.iter().map(|message| json!(message)).collect();
        let rest: Vec<&Value> = self.held.iter().chain(&images).collect();
        let last = rest.iter().rposition(|message| cache::takes_mark(message));
        for (place, message) in rest.into_iter().enumerate() {
            if last == Some(place) {
                body.item(cache::marked(message.clone()));
            } else {
                body.item(message);
            }
        }
    }
}

impl ChatHistory {
    fn add_user(&mut self, endpoint: &ChatEndpoint, content: &[Block], body: &mut JsonBody) {
        let mut contents = InputContent::all(endpoint, content);
        let message = match (contents.next(), contents.next()) {
            (None, _) => return,
            // Some servers do not know arrays of parts, so a single text is sent as a string.
            (Some(InputContent::Text(text)), None) => ChatMessage::text(ChatRole::User, text),
            (first, second) => {
                let all = first.into_iter().chain(second).chain(contents);
                ChatMessage::user_parts(all.map(part).collect())
            }
        };
        if let Some(filler) = self.filler(endpoint) {
            self.push(endpoint, filler, body);
        }
        self.push(endpoint, message, body);
    }

    /// The message between a tool result and a user message, at hosts that take none right after it.
    fn filler(&self, endpoint: &ChatEndpoint) -> Option<ChatMessage<'static>> {
        let wanted = self.after_result && endpoint.dialect.assistant_after_tool;
        wanted.then(|| ChatMessage::text(ChatRole::Assistant, "Done."))
    }

    fn add_result(
        &mut self,
        endpoint: &ChatEndpoint,
        result: &ToolResultBlock,
        body: &mut JsonBody,
    ) {
        let see = "(see the picture that follows)";
        let (text, images) = InputContent::of_result(endpoint, result, see);
        let id = call_id::render(endpoint.dialect.call_ids, &result.tool_use_id);
        self.push(endpoint, ChatMessage::tool_result(id, text), body);
        self.images.extend(images.map(part));
    }

    /// The messages with the images of the results before.
    fn pictures(
        &self,
        endpoint: &ChatEndpoint,
        mut images: Vec<Value>,
    ) -> Vec<ChatMessage<'static>> {
        if images.is_empty() {
            return Vec::new();
        }
        let mut parts = vec![json!({"type": "text", "text": "Pictures from the tool results:"})];
        parts.append(&mut images);
        let message = ChatMessage::user_parts(parts);
        self.filler(endpoint).into_iter().chain([message]).collect()
    }

    fn push(&mut self, endpoint: &ChatEndpoint, message: ChatMessage<'_>, body: &mut JsonBody) {
        self.after_result = message.is_tool_result();
        if !cache::wants_marks(endpoint) {
            body.item(message);
            return;
        }
        // A mark changes the form of a message, so it needs a value.
        let message = json!(message);
        if cache::takes_mark(&message) {
            self.held.drain(..).for_each(|earlier| body.item(earlier));
        } else if self.held.is_empty() {
            body.item(message);
            return;
        }
        self.held.push(message);
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
