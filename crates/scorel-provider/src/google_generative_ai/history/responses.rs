use serde_json::{Map, Value, json};

use super::part;
use crate::wire::Content;

/// The results of one turn's calls. All of them stand in one content, in the order of their calls:
/// where calls have no ids, only the order tells them apart.
#[derive(Debug, Default)]
pub(super) struct Responses {
    /// Each with the place of its call.
    responses: Vec<(usize, Value)>,
    /// Pictures that stand beside the responses.
    pictures: Vec<Value>,
}

/// What is known about a result beside its content.
#[derive(Debug, Clone, Copy)]
pub(super) struct Response<'a> {
    pub(super) name: &'a str,
    /// The id that was sent with the call.
    pub(super) id: Option<&'a str>,
    pub(super) is_error: bool,
    /// Whether pictures may be part of the response.
    pub(super) pictures_inside: bool,
}

impl Responses {
    /// Adds the result of the call at that place; results without a call come last.
    pub(super) fn add<'a>(
        &mut self,
        place: Option<usize>,
        about: &Response<'_>,
        contents: impl Iterator<Item = Content<'a>>,
    ) {
        let mut texts = Vec::new();
        let mut pictures = Vec::new();
        for content in contents {
            match content {
                Content::Text(text) => texts.push(text),
                picture @ Content::Image { .. } => pictures.push(part(picture)),
            }
        }
        let text = match (texts.is_empty(), pictures.is_empty()) {
            (false, _) => texts.join("\n"),
            (true, true) => "(no output)".to_owned(),
            (true, false) => "(see the picture)".to_owned(),
        };
        let mut response = about.head(&text);
        if about.pictures_inside && !pictures.is_empty() {
            response.insert("parts".to_owned(), json!(pictures));
        } else {
            self.pictures.append(&mut pictures);
        }
        let place = place.unwrap_or(usize::MAX);
        let rendered = json!({"functionResponse": response});
        self.responses.push((place, rendered));
    }

    /// The parts of the content.
    pub(super) fn into_parts(mut self) -> Vec<Value> {
        self.responses.sort_by_key(|(place, _)| *place);
        let responses = self.responses.into_iter();
        let mut parts: Vec<Value> = responses.map(|(_, response)| response).collect();
        if !self.pictures.is_empty() {
            parts.push(json!({"text": "Pictures from the tool results:"}));
            parts.append(&mut self.pictures);
        }
        parts
    }
}

impl Response<'_> {
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
