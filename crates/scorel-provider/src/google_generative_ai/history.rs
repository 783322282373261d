//! Renders a conversation as `contents`.
//!
//! The rules of the API: user and model contents alternate, the first is the user's, and all
//! function responses of a turn stand in one content, in the order of their calls.

mod content_part;
mod model_content;
mod responses;

use scorel_proto::{Block, Message, ToolResultBlock};
use scorel_runtime::ModelRequest;
use serde_json::{Value, json};

use self::content_part::content_part;
use self::model_content::SentCall;
use self::responses::{FunctionResponse, FunctionResponses};
use super::dialect::GeminiEndpoint;
use super::family::GeminiFamily;
use crate::wire::{InputContent, sent_function_name};

/// Leaves out empty blocks and messages.
pub(super) fn render(
    endpoint: &GeminiEndpoint,
    family: GeminiFamily,
    request: &ModelRequest,
) -> Vec<Value> {
    let mut history = GeminiHistory {
        endpoint,
        family,
        contents: Vec::new(),
        calls: Vec::new(),
        responses: FunctionResponses::default(),
    };
    for message in &request.messages {
        history.add(message);
    }
    history.add_responses();
    history.contents
}

struct GeminiHistory<'a> {
    endpoint: &'a GeminiEndpoint,
    family: GeminiFamily,
    contents: Vec<Value>,
    /// The calls of the last reply, whose responses are being collected.
    calls: Vec<SentCall<'a>>,
    responses: FunctionResponses,
}

impl<'a> GeminiHistory<'a> {
    fn add(&mut self, message: &'a Message) {
        if !matches!(message, Message::ToolResult(_)) {
            self.add_responses();
        }
        match message {
            Message::User(message) => self.add_user(&message.content),
            Message::Internal(message) => self.add_user(&message.content),
            Message::Assistant(message) => {
                let content = model_content::render(self.endpoint, self.family, message);
                self.calls = content.calls;
                self.push("model", content.parts);
            }
            Message::ToolResult(message) => self.add_result(&message.tool_name, message.result()),
        }
    }

    fn add_user(&mut self, content: &[Block]) {
        let contents = InputContent::all(self.endpoint, content);
        let parts = contents.map(content_part).collect();
        self.push("user", parts);
    }

    fn add_result(&mut self, name: &str, result: &ToolResultBlock) {
        let contents = InputContent::all(self.endpoint, &result.content);
        let position = self
            .calls
            .iter()
            .position(|call| call.id == result.tool_use_id);
        let call = position.map(|position| &self.calls[position]);
        let response = FunctionResponse {
            // The API compares it with the call's.
            name: &sent_function_name(call.map_or(name, |call| call.name)),
            id: call.and_then(|call| call.sent_id.as_deref()),
            is_error: result.is_error,
            images_inside: self.family.images_in_responses,
        };
        self.responses.add(position, &response, contents);
    }

    fn add_responses(&mut self) {
        let parts = std::mem::take(&mut self.responses).into_parts();
        self.push("user", parts);
    }

    /// Appends parts to the last content if it has the role, else as a new content.
    fn push(&mut self, role: &str, parts: Vec<Value>) {
        if parts.is_empty() {
            return;
        }
        if self.contents.is_empty() && role != "user" {
            let text = "[what was said before is left out]";
            self.push("user", vec![json!({"text": text})]);
        }
        let last = self.contents.last_mut();
        match last.filter(|last| last["role"] == role) {
            Some(last) => {
                if let Some(begun) = last["parts"].as_array_mut() {
                    begun.extend(parts);
                }
            }
            None => self.contents.push(json!({"role": role, "parts": parts})),
        }
    }
}

#[cfg(test)]
mod tests;
