//! Renders a conversation as `input` items.

mod assistant;

use scorel_proto::{Block, Message, ToolResultBlock};
use scorel_runtime::ModelRequest;
use serde_json::{Value, json};

use super::dialect::ResponsesEndpoint;
use crate::wire::{CallIds, InputContent};

/// The longest `call_id` that the API takes, in bytes.
const LONGEST_ID: usize = 64;

/// Leaves out empty blocks and messages.
pub(super) fn render(endpoint: &ResponsesEndpoint, request: &ModelRequest) -> Vec<Value> {
    let mut history = ResponsesHistory {
        endpoint,
        calls: CallIds::new(|id| (1..=LONGEST_ID).contains(&id.len())),
        items: Vec::new(),
    };
    for message in &request.messages {
        history.add(message);
    }
    history.items
}

struct ResponsesHistory<'a> {
    endpoint: &'a ResponsesEndpoint,
    calls: CallIds,
    items: Vec<Value>,
}

impl ResponsesHistory<'_> {
    fn add(&mut self, message: &Message) {
        match message {
            Message::User(message) => self.add_user(&message.content),
            Message::Internal(message) => self.add_user(&message.content),
            Message::Assistant(message) => {
                let items = assistant::render(self.endpoint, message, &mut self.calls);
                self.items.extend(items);
            }
            Message::ToolResult(message) => self.add_result(message.result()),
        }
    }

    fn add_user(&mut self, content: &[Block]) {
        let parts = self.parts(content);
        if !parts.is_empty() {
            self.items
                .push(json!({"type": "message", "role": "user", "content": parts}));
        }
    }

    fn add_result(&mut self, result: &ToolResultBlock) {
        let parts = self.parts(&result.content);
        let texts = parts.iter().map(|part| part["text"].as_str());
        // Some compatible servers do not know arrays here, so texts are sent as one string.
        let output = match texts.collect::<Option<Vec<_>>>() {
            Some(texts) if texts.is_empty() => json!("(no output)"),
            Some(texts) => json!(texts.join("\n")),
            None => json!(parts),
        };
        self.items.push(json!({
            "type": "function_call_output",
            "call_id": self.calls.of_result(&result.tool_use_id),
            "output": output,
        }));
    }

    fn parts(&self, content: &[Block]) -> Vec<Value> {
        InputContent::all(self.endpoint, content)
            .map(part)
            .collect()
    }
}

fn part(content: InputContent<'_>) -> Value {
    match content {
        InputContent::Text(text) => json!({"type": "input_text", "text": text}),
        InputContent::Image { media_type, data } => json!({
            "type": "input_image",
            "image_url": format!("data:{media_type};base64,{data}"),
            "detail": "auto",
        }),
    }
}

#[cfg(test)]
mod tests;
