//! Renders a conversation as `messages`.
//!
//! The rules of the API: roles alternate, the first message is a user's, no text is blank, all
//! results of one message's calls come first in the next message, and no message ends with reasoning.

mod assistant;
mod conversation;
mod server_tools;

pub(super) use conversation::cache_here;

use scorel_proto::{Block, Message, ToolResultBlock};
use serde_json::{Value, json};

use self::conversation::Conversation;
use super::dialect::{AnthropicDialect, AnthropicEndpoint};
use crate::wire::{CallIds, InputContent, JsonBody, WireHistory};

/// The image types that the API takes.
const IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Leaves out empty blocks and messages.
#[derive(Debug)]
pub(crate) struct AnthropicHistory {
    ids: CallIds,
    conversation: Conversation,
}

impl Default for AnthropicHistory {
    fn default() -> Self {
        Self {
            ids: CallIds::new(is_call_id),
            conversation: Conversation::default(),
        }
    }
}

impl WireHistory<AnthropicDialect> for AnthropicHistory {
    fn add(&mut self, endpoint: &AnthropicEndpoint, message: &Message, body: &mut JsonBody) {
        match message {
            Message::User(message) => self.add_user(endpoint, &message.content),
            Message::Internal(message) => self.add_user(endpoint, &message.content),
            Message::Assistant(message) => {
                let blocks = assistant::render(endpoint, &mut self.ids, message);
                self.conversation.add_assistant(blocks);
            }
            Message::ToolResult(message) => self.add_result(endpoint, message.result()),
        }
        self.conversation.write_settled(body);
    }

    fn finish(&self, _endpoint: &AnthropicEndpoint, body: &mut JsonBody) {
        self.conversation.write_rest(body);
    }
}

impl AnthropicHistory {
    pub(super) fn lacks_thinking(&self) -> bool {
        self.conversation.lacks_thinking()
    }

    fn add_user(&mut self, endpoint: &AnthropicEndpoint, content: &[Block]) {
        self.conversation.add_user(parts(endpoint, content));
    }

    fn add_result(&mut self, endpoint: &AnthropicEndpoint, result: &ToolResultBlock) {
        let parts = parts(endpoint, &result.content);
        // With `is_error` the API takes nothing but text; images follow the result.
        let (mut inside, behind): (Vec<Value>, Vec<Value>) = parts
            .into_iter()
            .partition(|part| !result.is_error || part["type"] == "text");
        if inside.is_empty() {
            let text = if behind.is_empty() {
                "(no output)"
            } else {
                "(see the picture that follows)"
            };
            inside.push(json!({"type": "text", "text": text}));
        }
        let mut block = json!({
            "type": "tool_result",
            "tool_use_id": self.ids.of_result(&result.tool_use_id),
            "content": inside,
        });
        if result.is_error {
            block["is_error"] = json!(true);
        }
        self.conversation.add_result(block);
        self.conversation.add_user(behind);
    }
}

fn parts(endpoint: &AnthropicEndpoint, content: &[Block]) -> Vec<Value> {
    InputContent::all(endpoint, content).map(part).collect()
}

/// The API takes ids that match `^[a-zA-Z0-9_-]{1,64}$`.
fn is_call_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&id.len()) && id.bytes().all(plain)
}

fn part(content: InputContent<'_>) -> Value {
    match content {
        InputContent::Text(text) => json!({"type": "text", "text": text}),
        InputContent::Image { media_type, data } if IMAGE_TYPES.contains(&media_type) => {
            let source = json!({"type": "base64", "media_type": media_type, "data": data});
            json!({"type": "image", "source": source})
        }
        InputContent::Image { media_type, .. } => {
            let text = format!("[a picture of the type {media_type}, which this model cannot see]");
            json!({"type": "text", "text": text})
        }
    }
}

#[cfg(test)]
mod tests;
