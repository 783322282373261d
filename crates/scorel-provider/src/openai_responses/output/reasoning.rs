use scorel_runtime::ProviderEvent;
use serde_json::Value;

use super::{Blocks, missing};
use crate::wire::ModelOrigin;

/// Reasoning of the model: one block, if anything of it is shown or has to go back.
#[derive(Debug, Default)]
pub(super) struct Reasoning {
    block: Option<usize>,
    parts: Vec<(Part, String)>,
}

/// A part of reasoning, and its place among its like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Summary(u64),
    Text(u64),
}

impl Reasoning {
    pub(super) fn delta(
        &mut self,
        part: Part,
        delta: &str,
        blocks: &mut Blocks,
        out: &mut Vec<ProviderEvent>,
    ) {
        if delta.is_empty() {
            return;
        }
        let mut shown = delta.to_owned();
        match self.parts.iter_mut().find(|(known, _)| *known == part) {
            Some((_, text)) => text.push_str(delta),
            None => {
                if !self.parts.is_empty() {
                    shown.insert_str(0, "\n\n");
                }
                self.parts.push((part, delta.to_owned()));
            }
        }
        let block = *self.block.get_or_insert_with(|| blocks.next());
        out.push(ProviderEvent::Thinking {
            block,
            delta: shown,
        });
    }

    /// Takes the whole item, which goes back as it is.
    pub(super) fn done(
        &mut self,
        item: &Value,
        origin: &ModelOrigin,
        blocks: &mut Blocks,
        out: &mut Vec<ProviderEvent>,
    ) {
        for (part, text) in parts(item) {
            let known = self.parts.iter().find(|(known, _)| *known == part);
            let streamed = known.map_or("", |(_, text)| text.as_str());
            let rest = missing(streamed, text).to_owned();
            self.delta(part, &rest, blocks, out);
        }
        if let Some(kept) = kept(item) {
            let block = *self.block.get_or_insert_with(|| blocks.next());
            out.push(ProviderEvent::ThinkingMeta {
                block,
                signature: None,
                redacted: false,
                provider: Some(origin.tag("reasoning", kept)),
            });
        }
    }
}

fn parts(item: &Value) -> impl Iterator<Item = (Part, &str)> {
    let texts = |field: &str| {
        let parts = item[field].as_array().into_iter().flatten();
        (0..).zip(parts.map(|part| part["text"].as_str().unwrap_or_default()))
    };
    let summary = texts("summary").map(|(place, text)| (Part::Summary(place), text));
    summary.chain(texts("content").map(|(place, text)| (Part::Text(place), text)))
}

/// The item as it goes back; `None` if the endpoint could not make anything of it, as it has
/// neither the reasoning nor its encrypted form.
fn kept(item: &Value) -> Option<Value> {
    let encrypted = item["encrypted_content"].as_str();
    let encrypted = encrypted.is_some_and(|encrypted| !encrypted.is_empty());
    let text = parts(item).any(|(part, text)| matches!(part, Part::Text(_)) && !text.is_empty());
    if !encrypted && !text {
        return None;
    }
    let mut kept = item.as_object()?.clone();
    kept.shift_remove("status");
    if !encrypted {
        kept.shift_remove("encrypted_content");
    }
    if !text {
        kept.shift_remove("content");
    }
    Some(Value::Object(kept))
}
