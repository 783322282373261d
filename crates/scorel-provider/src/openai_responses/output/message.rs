use scorel_runtime::ProviderEvent;
use serde_json::{Map, Value, json};

use super::streamed::missing;
use crate::wire::{BlockNumbers, ModelOrigin, text_of};

/// A `message` item. Each of its content parts is a block.
#[derive(Debug, Default)]
pub(super) struct OutputMessage {
    parts: Vec<MessagePart>,
}

#[derive(Debug)]
struct MessagePart {
    /// The `content_index`.
    index: u64,
    block: usize,
    text: String,
    refusal: bool,
}

impl OutputMessage {
    pub(super) fn delta(
        &mut self,
        index: u64,
        refusal: bool,
        delta: &str,
        numbers: &mut BlockNumbers,
        out: &mut Vec<ProviderEvent>,
    ) {
        if delta.is_empty() {
            return;
        }
        let known = self.parts.iter().position(|part| part.index == index);
        let position = known.unwrap_or_else(|| {
            self.parts.push(MessagePart {
                index,
                block: numbers.take_next(),
                text: String::new(),
                refusal,
            });
            self.parts.len() - 1
        });
        let part = &mut self.parts[position];
        part.text.push_str(delta);
        out.push(ProviderEvent::Text {
            block: part.block,
            delta: delta.to_owned(),
        });
    }

    /// Takes the final item and returns whether it is a refusal.
    pub(super) fn done(
        &mut self,
        item: &Value,
        origin: &ModelOrigin,
        numbers: &mut BlockNumbers,
        out: &mut Vec<ProviderEvent>,
    ) -> bool {
        let whole = item["content"].as_array().into_iter().flatten();
        for (index, part) in (0..).zip(whole) {
            let (text, refusal) = match part["refusal"].as_str() {
                Some(refusal) => (refusal, true),
                None => (text_of(&part["text"]), false),
            };
            let known = self.parts.iter().find(|part| part.index == index);
            let streamed = known.map_or("", |part| part.text.as_str());
            let rest = missing(streamed, text).to_owned();
            self.delta(index, refusal, &rest, numbers, out);
        }
        for part in &self.parts {
            let metadata = metadata(item, part.refusal);
            if !metadata.is_empty() {
                out.push(ProviderEvent::TextMeta {
                    block: part.block,
                    provider: origin.tag("message", Value::Object(metadata)),
                });
            }
        }
        self.parts.iter().any(|part| part.refusal)
    }
}

/// What goes back with a text: the id of its item, and its `phase` (commentary or final answer),
/// without which newer models take their own commentary for a final answer.
fn metadata(item: &Value, refusal: bool) -> Map<String, Value> {
    let mut metadata = Map::new();
    for field in ["id", "phase"] {
        if item[field].is_string() {
            metadata.insert(field.to_owned(), item[field].clone());
        }
    }
    if refusal {
        metadata.insert("refusal".to_owned(), json!(true));
    }
    metadata
}
