//! Renders a conversation as `input` items.

mod assistant;

use scorel_proto::{Block, Message, ToolResultBlock};
use serde_json::{Value, json};

use super::dialect::{ResponsesDialect, ResponsesEndpoint};
use crate::wire::{CallIds, InputContent, JsonBody, WireHistory};

/// The longest `call_id` that the API takes, in bytes.
const LONGEST_ID: usize = 64;

/// Leaves out empty blocks and messages.
#[derive(Debug)]
pub(crate) struct ResponsesHistory {
    calls: CallIds,
    /// The JSON text of the first item; empty before it.
    first: String,
}

impl Default for ResponsesHistory {
    fn default() -> Self {
        Self {
            calls: CallIds::new(|id| (1..=LONGEST_ID).contains(&id.len())),
            first: String::new(),
        }
    }
}

impl WireHistory<ResponsesDialect> for ResponsesHistory {
    fn add(&mut self, endpoint: &ResponsesEndpoint, message: &Message, body: &mut JsonBody) {
        match message {
            Message::User(message) => self.add_user(endpoint, &message.content, body),
            Message::Internal(message) => self.add_user(endpoint, &message.content, body),
            Message::Assistant(message) => {
                for item in assistant::render(endpoint, message, &mut self.calls) {
                    self.push(&item, body);
                }
            }
            Message::ToolResult(message) => self.add_result(endpoint, message.result(), body),
        }
    }

    /// Every item is final.
    fn finish(&self, _endpoint: &ResponsesEndpoint, _body: &mut JsonBody) {}
}

impl ResponsesHistory {
    /// The JSON text of the first item; empty without any.
    pub(super) fn first(&self) -> &str {
        &self.first
    }

    fn add_user(&mut self, endpoint: &ResponsesEndpoint, content: &[Block], body: &mut JsonBody) {
        let parts = parts(endpoint, content);
        if !parts.is_empty() {
            let message = json!({"type": "message", "role": "user", "content": parts});
            self.push(&message, body);
        }
    }

    fn add_result(
        &mut self,
        endpoint: &ResponsesEndpoint,
        result: &ToolResultBlock,
        body: &mut JsonBody,
    ) {
        let parts = parts(endpoint, &result.content);
        let texts = parts.iter().map(|part| part["text"].as_str());
        // Some compatible servers do not know arrays here, so texts are sent as one string.
        let output = match texts.collect::<Option<Vec<_>>>() {
            Some(texts) if texts.is_empty() => json!("(no output)"),
            Some(texts) => json!(texts.join("\n")),
            None => json!(parts),
        };
        let item = json!({
            "type": "function_call_output",
            "call_id": self.calls.of_result(&result.tool_use_id),
            "output": output,
        });
        self.push(&item, body);
    }

    fn push(&mut self, item: &Value, body: &mut JsonBody) {
        if self.first.is_empty() {
            self.first = item.to_string();
        }
        body.item(item);
    }
}

fn parts(endpoint: &ResponsesEndpoint, content: &[Block]) -> Vec<Value> {
    InputContent::all(endpoint, content).map(part).collect()
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
