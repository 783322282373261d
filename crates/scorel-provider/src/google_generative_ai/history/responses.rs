use serde_json::{Map, Value, json};

use super::content_part::content_part;
use crate::wire::InputContent;

/// The function responses of one turn. They are sent in the order of their calls: calls without ids
/// are matched by order only.
#[derive(Debug, Clone, Default)]
pub(super) struct FunctionResponses {
    /// Each with the position of its call.
    responses: Vec<(usize, Value)>,
    /// Images that the responses themselves may not contain.
    images: Vec<Value>,
}

/// A function response without its content.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionResponse<'a> {
    pub(super) name: &'a str,
    /// The id that was sent with the call.
    pub(super) id: Option<&'a str>,
    pub(super) is_error: bool,
    pub(super) images_inside: bool,
}

impl FunctionResponses {
    /// Adds the response to the call at `position`; responses without a call come last.
    pub(super) fn add<'a>(
        &mut self,
        position: Option<usize>,
        about: &FunctionResponse<'_>,
        contents: impl Iterator<Item = InputContent<'a>>,
    ) {
        let mut texts = Vec::new();
        let mut images = Vec::new();
        for content in contents {
            match content {
                InputContent::Text(text) => texts.push(text),
                image @ InputContent::Image { .. } => images.push(content_part(image)),
            }
        }
        let text = match (texts.is_empty(), images.is_empty()) {
            (false, _) => texts.join("\n"),
            (true, true) => "(no output)".to_owned(),
            (true, false) => "(see the picture)".to_owned(),
        };
        let mut response = about.head(&text);
        if about.images_inside && !images.is_empty() {
            response.insert("parts".to_owned(), json!(images));
        } else {
            self.images.append(&mut images);
        }
        let position = position.unwrap_or(usize::MAX);
        let rendered = json!({"functionResponse": response});
        self.responses.push((position, rendered));
    }

    pub(super) fn into_parts(mut self) -> Vec<Value> {
        self.responses.sort_by_key(|(position, _)| *position);
        let responses = self.responses.into_iter();
        let mut parts: Vec<Value> = responses.map(|(_, response)| response).collect();
        if !self.images.is_empty() {
            parts.push(json!({"text": "Pictures from the tool results:"}));
            parts.append(&mut self.images);
        }
        parts
    }
}

impl FunctionResponse<'_> {
    fn head(&self, text: &str) -> Map<String, Value> {
        let mut head = Map::new();
        if let Some(id) = self.id {
            head.insert("id".to_owned(), json!(id));
        }
        head.insert("name".to_owned(), json!(self.name));
        let field = if self.is_error { "error" } else { "output" };
        head.insert("response".to_owned(), json!({field: text}));
        head
    }
}
