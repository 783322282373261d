use serde_json::{Value, json};

/// The function responses of one turn. They are sent in the order of their calls: calls without ids
/// are matched by order only.
#[derive(Debug, Clone, Default)]
pub(super) struct FunctionResponses {
    /// Each with the position of its call.
    responses: Vec<(usize, Value)>,
    /// Images that the responses themselves may not contain.
    images: Vec<Value>,
}

impl FunctionResponses {
    /// Adds the response to the call at `position`; responses without a call come last.
    pub(super) fn add(&mut self, position: Option<usize>, response: Value, images: Vec<Value>) {
        self.responses
            .push((position.unwrap_or(usize::MAX), response));
        self.images.extend(images);
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
