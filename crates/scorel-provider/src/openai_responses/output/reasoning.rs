use std::collections::BTreeMap;

use serde_json::Value;

use super::streamed::missing;
use crate::wire::{DecodedReply, non_empty, text_of};

/// A `reasoning` item: one block, if any of it is readable or has to go back.
#[derive(Debug, Default)]
pub(super) struct OutputReasoning {
    block: Option<usize>,
    parts: BTreeMap<ReasoningPart, String>,
}

/// A part of a reasoning item, with its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReasoningPart {
    Summary(u64),
    Text(u64),
}

impl OutputReasoning {
    pub(super) fn delta(&mut self, part: ReasoningPart, delta: &str, out: &mut DecodedReply) {
        if delta.is_empty() {
            return;
        }
        let mut shown = delta.to_owned();
        match self.parts.get_mut(&part) {
            Some(text) => text.push_str(delta),
            None => {
                // Parts are paragraphs of one block.
                if !self.parts.is_empty() {
                    shown.insert_str(0, "\n\n");
                }
                out.tally.add_part();
                self.parts.insert(part, delta.to_owned());
            }
        }
        let block = *self.block.get_or_insert_with(|| out.tally.take_next());
        out.thinking(block, shown);
    }

    /// Takes the final item, which is stored to go back.
    pub(super) fn done(&mut self, item: &Value, out: &mut DecodedReply) {
        for (part, text) in parts(item) {
            let streamed = self.parts.get(&part).map_or("", String::as_str);
            let rest = missing(streamed, text).to_owned();
            self.delta(part, &rest, out);
        }
        if let Some(metadata) = metadata(item) {
            let block = *self.block.get_or_insert_with(|| out.tally.take_next());
            out.thinking_fact(block, "reasoning", metadata);
        }
    }
}

fn parts(item: &Value) -> impl Iterator<Item = (ReasoningPart, &str)> {
    let texts = |field: &str| {
        let parts = item[field].as_array().into_iter().flatten();
        (0..).zip(parts.map(|part| text_of(&part["text"])))
    };
    let summary = texts("summary").map(|(index, text)| (ReasoningPart::Summary(index), text));
    summary.chain(texts("content").map(|(index, text)| (ReasoningPart::Text(index), text)))
}

/// The item as it goes back. `None` if it has neither readable nor encrypted reasoning: the provider
/// keeps nothing, so the rest would be meaningless to it.
fn metadata(item: &Value) -> Option<Value> {
    let encrypted = non_empty(&item["encrypted_content"]).is_some();
    let text =
        parts(item).any(|(part, text)| matches!(part, ReasoningPart::Text(_)) && !text.is_empty());
    if !encrypted && !text {
        return None;
    }
    let mut fields = item.as_object()?.clone();
    fields.shift_remove("status");
    if !encrypted {
        fields.shift_remove("encrypted_content");
    }
    if !text {
        fields.shift_remove("content");
    }
    Some(Value::Object(fields))
}
