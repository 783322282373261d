//! Renders a conversation as the wire's messages.

mod assistant;
mod conversation;

pub(super) use conversation::{Conversation, cache_here};

use scorel_proto::{Block, Context, Message, ToolResultBlock};
use serde_json::{Value, json};

use super::Endpoint;
use crate::wire::{CallIds, Content};

/// The types of pictures that the wire takes.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The conversation. Blocks and messages that hold nothing are left out.
pub(super) fn render(endpoint: &Endpoint, messages: &Context) -> Conversation {
    let mut history = History {
        endpoint,
        ids: CallIds::new(is_call_id),
        conversation: Conversation::default(),
    };
    for message in messages {
        history.add(message);
    }
    history.conversation.finish();
    history.conversation
}

struct History<'a> {
    endpoint: &'a Endpoint,
    ids: CallIds,
    conversation: Conversation,
}

impl History<'_> {
    fn add(&mut self, message: &Message) {
        match message {
            Message::User(message) => self.add_user(&message.content),
            Message::Internal(message) => self.add_user(&message.content),
            Message::Assistant(message) => {
                let blocks = assistant::render(self.endpoint, &mut self.ids, message);
                self.conversation.add_assistant(blocks);
            }
            Message::ToolResult(message) => self.add_result(message.result()),
        }
    }

    fn add_user(&mut self, content: &[Block]) {
        let parts = self.parts(content);
        self.conversation.add_user(parts);
    }

    fn add_result(&mut self, result: &ToolResultBlock) {
        let parts = self.parts(&result.content);
        // A result that says that the call failed may hold nothing but text.
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

    fn parts(&self, content: &[Block]) -> Vec<Value> {
        let parts = content
            .iter()
            .filter_map(|block| part(self.endpoint, block));
        parts.collect()
    }
}

/// Whether the wire takes the id of a call.
fn is_call_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&id.len()) && id.bytes().all(plain)
}

/// A block as a part of a message; `None` if it holds nothing to say.
fn part(endpoint: &Endpoint, block: &Block) -> Option<Value> {
    Some(match Content::of(endpoint, block)? {
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Image { media_type, data } if PICTURES.contains(&media_type) => {
            let source = json!({"type": "base64", "media_type": media_type, "data": data});
            json!({"type": "image", "source": source})
        }
        Content::Image { media_type, .. } => {
            let text = format!("[a picture of the type {media_type}, which this model cannot see]");
            json!({"type": "text", "text": text})
        }
    })
}

#[cfg(test)]
mod tests;
