use serde_json::{Value, json};

use crate::wire::InputContent;

pub(super) fn content_part(content: InputContent<'_>) -> Value {
    match content {
        InputContent::Text(text) => json!({"text": text}),
        InputContent::Image { media_type, data } => {
            json!({"inlineData": {"mimeType": media_type, "data": data}})
        }
    }
}
