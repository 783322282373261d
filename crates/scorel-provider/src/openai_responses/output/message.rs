use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::streamed::missing;
use crate::wire::{DecodedReply, text_of};

/// A `message` item. Each of its content parts is a block.
#[derive(Debug, Default)]
pub(super) struct OutputMessage {
    /// The parts by their `content_index`.
    parts: BTreeMap<u64, MessagePart>,
}

#[derive(Debug)]
struct MessagePart {
    block: usize,
    text: String,
    refusal: bool,
}

impl OutputMessage {
    pub(super) fn delta(&mut self, index: u64, refusal: bool, delta: &str, out: &mut DecodedReply) {
        if delta.is_empty() {
            return;
        }
        let part = self.parts.entry(index).or_insert_with(|| MessagePart {
            block: out.tally.take_next(),
            text: String::new(),
            refusal,
        });
        part.text.push_str(delta);
        out.text(part.block, delta);
    }

    /// Takes the final item and returns whether it is a refusal.
    pub(super) fn done(&mut self, item: &Value, out: &mut DecodedReply) -> bool {
        let whole = item["content"].as_array().into_iter().flatten();
        for (index, part) in (0..).zip(whole) {
            let (text, refusal) = match part["refusal"].as_str() {
                Some(refusal) => (refusal, true),
                None => (text_of(&part["text"]), false),
            };
            let known = self.parts.get(&index);
            let streamed = known.map_or("", |part| part.text.as_str());
            let rest = missing(streamed, text).to_owned();
            self.delta(index, refusal, &rest, out);
        }
        for part in self.parts.values() {
            // Each part gets the item's id, and both can be many and long.
            if out.tally.is_over() {
                break;
            }
            let metadata = metadata(item, part.refusal);
            if !metadata.is_empty() {
                metadata.values().for_each(|value| out.tally.keep(value));
                out.text_fact(part.block, "message", Value::Object(metadata));
            }
        }
        self.parts.values().any(|part| part.refusal)
    }
}

/// The fields that go back with a text: the id of its item, and its `phase` (commentary or final answer),
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

#[cfg(test)]
mod tests {
    use scorel_engine::{ModelInfo, ProviderEvent};
    use serde_json::json;

    use super::OutputMessage;
    use crate::wire::{DecodedReply, ModelOrigin};

    #[test]
    fn a_long_id_is_not_repeated_for_thousands_of_parts() {
        let model = ModelInfo {
            provider: "lab".to_owned(),
            id: "m".to_owned(),
            context_window: 1,
            max_output_tokens: 1,
            price: None,
        };
        let parts = vec![json!({"text": "a"}); 500];
        let item = json!({"id": "i".repeat(1 << 20), "content": parts});
        let mut out = DecodedReply::new(ModelOrigin::new("openai-responses", &model));
        OutputMessage::default().done(&item, &mut out);
        let is_meta = |event: &&ProviderEvent| matches!(event, ProviderEvent::TextMeta { .. });
        assert!(out.events.iter().filter(is_meta).count() < 20);
        assert!(out.tally.is_over());
    }
}
