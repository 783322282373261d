//! Renders a conversation as `contents`.
//!
//! The rules of the API: user and model contents alternate, the first is the user's, and all
//! function responses of a turn stand in one content, in the order of their calls.

mod content;
mod model_content;
mod responses;

use scorel_proto::{Block, Message, ToolResultBlock};
use serde_json::{Map, Value, json};

use self::content::{Content, ContentRole};
use self::model_content::SentCall;
use self::responses::FunctionResponses;
use super::dialect::GeminiEndpoint;
use super::family::GeminiFamily;
use crate::wire::{InputContent, JsonBody, WireHistory, sent_function_name};

/// Leaves out empty blocks and messages.
#[derive(Debug, Default)]
pub(crate) struct GeminiHistory {
    /// True if there is a content before `last`.
    begun: bool,
    /// The newest content, to which parts may be added.
    last: Option<Content>,
    /// The calls of the last reply, whose responses are being collected.
    calls: Vec<SentCall>,
    responses: FunctionResponses,
}

impl WireHistory<()> for GeminiHistory {
    fn add(&mut self, endpoint: &GeminiEndpoint, message: &Message, body: &mut JsonBody) {
        if !matches!(message, Message::ToolResult(_)) {
            let parts = std::mem::take(&mut self.responses).into_parts();
            self.push(ContentRole::User, parts, body);
        }
        match message {
            Message::User(message) => self.add_user(endpoint, &message.content, body),
            Message::Internal(message) => self.add_user(endpoint, &message.content, body),
            Message::Assistant(message) => {
                let family = GeminiFamily::of(&endpoint.model.id);
                let content = model_content::render(endpoint, family, message);
                self.calls = content.calls;
                self.push(ContentRole::Model, content.parts, body);
            }
            Message::ToolResult(message) => {
                self.add_result(endpoint, &message.tool_name, message.result());
            }
        }
    }

    fn finish(&self, _endpoint: &GeminiEndpoint, body: &mut JsonBody) {
        let mut end = Self {
            begun: self.begun,
            last: self.last.clone(),
            ..Self::default()
        };
        end.push(ContentRole::User, self.responses.clone().into_parts(), body);
        if let Some(last) = end.last {
            body.item(last);
        }
    }
}

impl GeminiHistory {
    fn add_user(&mut self, endpoint: &GeminiEndpoint, content: &[Block], body: &mut JsonBody) {
        let contents = InputContent::all(endpoint, content);
        let parts = contents.map(part).collect();
        self.push(ContentRole::User, parts, body);
    }

    fn add_result(&mut self, endpoint: &GeminiEndpoint, name: &str, result: &ToolResultBlock) {
        let mut calls = self.calls.iter();
        let position = calls.position(|call| call.id == result.tool_use_id);
        let call = position.map(|position| &self.calls[position]);
        let mut response = Map::new();
        if let Some(id) = call.and_then(|call| call.sent_id.as_deref()) {
            response.insert("id".to_owned(), json!(id));
        }
        // The API compares it with the call's.
        let name = sent_function_name(call.map_or(name, |call| &call.name));
        response.insert("name".to_owned(), json!(name));
        let (text, images) = InputContent::of_result(endpoint, result, "(see the picture)");
        let field = if result.is_error { "error" } else { "output" };
        response.insert("response".to_owned(), json!({field: text}));
        let mut images: Vec<Value> = images.map(part).collect();
        let family = GeminiFamily::of(&endpoint.model.id);
        if family.takes_images_in_responses() && !images.is_empty() {
            let inside = std::mem::take(&mut images);
            response.insert("parts".to_owned(), Value::Array(inside));
        }
        let response = json!({"functionResponse": response});
        self.responses.add(position, response, images);
    }

    /// Appends parts to the last content if it has the role, else as a new content. The one before it
    /// is final then.
    fn push(&mut self, role: ContentRole, parts: Vec<Value>, body: &mut JsonBody) {
        if parts.is_empty() {
            return;
        }
        if !self.begun && self.last.is_none() && role != ContentRole::User {
            let text = "[earlier messages are omitted]";
            self.push(ContentRole::User, vec![json!({"text": text})], body);
        }
        match &mut self.last {
            Some(last) if last.role == role => last.parts.extend(parts),
            last => {
                if let Some(ended) = last.replace(Content { role, parts }) {
                    self.begun = true;
                    body.item(ended);
                }
            }
        }
    }
}

fn part(content: InputContent<'_>) -> Value {
    match content {
        InputContent::Text(text) => json!({"text": text}),
        InputContent::Image { media_type, data } => {
            json!({"inlineData": {"mimeType": media_type, "data": data}})
        }
    }
}

#[cfg(test)]
mod tests;
