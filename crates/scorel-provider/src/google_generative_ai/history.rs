//! Renders a conversation as the wire's contents.

mod answers;
mod responses;

use scorel_proto::{Block, Message, ToolResultBlock};
use scorel_runtime::ModelRequest;
use serde_json::{Value, json};

use self::answers::SentCall;
use self::responses::Responses;
use super::Endpoint;
use super::family::Family;
use crate::wire::Content;

/// The conversation: the user's contents and the model's by turns, the user's first. Blocks and
/// messages that hold nothing are left out.
pub(super) fn render(endpoint: &Endpoint, family: Family, request: &ModelRequest) -> Vec<Value> {
    let mut history = History {
        endpoint,
        family,
        contents: Vec::new(),
        calls: Vec::new(),
        responses: Responses::default(),
    };
    for message in &request.messages {
        history.add(message);
    }
    history.add_responses();
    history.contents
}

struct History<'a> {
    endpoint: &'a Endpoint,
    family: Family,
    contents: Vec<Value>,
    /// The calls that wait for their responses.
    calls: Vec<SentCall<'a>>,
    responses: Responses,
}

impl<'a> History<'a> {
    fn add(&mut self, message: &'a Message) {
        if !matches!(message, Message::ToolResult(_)) {
            self.add_responses();
        }
        match message {
            Message::User(message) => self.add_user(&message.content),
            Message::Internal(message) => self.add_user(&message.content),
            Message::Assistant(message) => {
                let answer = answers::render(self.endpoint, self.family, message);
                self.calls = answer.calls;
                self.push("model", answer.parts);
            }
            Message::ToolResult(message) => self.add_result(&message.tool_name, message.result()),
        }
    }

    fn add_user(&mut self, content: &[Block]) {
        let contents = content
            .iter()
            .filter_map(|block| Content::of(self.endpoint, block));
        let parts = contents.map(part).collect();
        self.push("user", parts);
    }

    fn add_result(&mut self, name: &str, result: &ToolResultBlock) {
        let contents = result
            .content
            .iter()
            .filter_map(|block| Content::of(self.endpoint, block));
        let place = self
            .calls
            .iter()
            .position(|call| call.id == result.tool_use_id);
        let sent_id = place.and_then(|place| self.calls[place].sent_id.as_deref());
        let response = responses::Response {
            name,
            id: sent_id,
            is_error: result.is_error,
            pictures_inside: self.family.pictures_in_responses,
        };
        self.responses.add(place, &response, contents);
    }

    fn add_responses(&mut self) {
        let parts = std::mem::take(&mut self.responses).into_parts();
        self.push("user", parts);
    }

    /// Adds parts to the turn of that role.
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

fn part(content: Content<'_>) -> Value {
    match content {
        Content::Text(text) => json!({"text": text}),
        Content::Image { media_type, data } => {
            json!({"inlineData": {"mimeType": media_type, "data": data}})
        }
    }
}

#[cfg(test)]
mod tests;
