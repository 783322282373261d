use scorel_runtime::ProviderEvent;
use serde_json::{Map, Value, json};

use super::{Blocks, missing};
use crate::wire::ModelOrigin;

/// A message of the model: each of its parts is a block.
#[derive(Debug, Default)]
pub(super) struct Message {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    /// Its place among the message's parts.
    place: u64,
    block: usize,
    text: String,
    refusal: bool,
}

impl Message {
    pub(super) fn delta(
        &mut self,
        place: u64,
        refusal: bool,
        delta: &str,
        blocks: &mut Blocks,
        out: &mut Vec<ProviderEvent>,
    ) {
        if delta.is_empty() {
            return;
        }
        let known = self.parts.iter().position(|part| part.place == place);
        let position = known.unwrap_or_else(|| {
            self.parts.push(Part {
                place,
                block: blocks.next(),
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

    /// Takes the whole message; whether it is a refusal.
    pub(super) fn done(
        &mut self,
        item: &Value,
        origin: &ModelOrigin,
        blocks: &mut Blocks,
        out: &mut Vec<ProviderEvent>,
    ) -> bool {
        let whole = item["content"].as_array().into_iter().flatten();
        for (place, part) in (0..).zip(whole) {
            let (text, refusal) = match part["refusal"].as_str() {
                Some(refusal) => (refusal, true),
                None => (part["text"].as_str().unwrap_or_default(), false),
            };
            let known = self.parts.iter().find(|part| part.place == place);
            let streamed = known.map_or("", |part| part.text.as_str());
            let rest = missing(streamed, text).to_owned();
            self.delta(place, refusal, &rest, blocks, out);
        }
        for part in &self.parts {
            let kept = kept(item, part.refusal);
            if !kept.is_empty() {
                out.push(ProviderEvent::TextMeta {
                    block: part.block,
                    provider: origin.tag("message", Value::Object(kept)),
                });
            }
        }
        self.parts.iter().any(|part| part.refusal)
    }
}

/// What has to go back with a text: the message that it is of, and the phase that it belongs to.
fn kept(item: &Value, refusal: bool) -> Map<String, Value> {
    let mut kept = Map::new();
    for field in ["id", "phase"] {
        if item[field].is_string() {
            kept.insert(field.to_owned(), item[field].clone());
        }
    }
    if refusal {
        kept.insert("refusal".to_owned(), json!(true));
    }
    kept
}
