//! Where hosts put reasoning. The field is stored with the block, since the reasoning has to go back
//! in the field that it came in.

use serde_json::{Value, json};

use crate::wire::{ReplyTally, text_of};

/// The part of a reply that carried reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReasoningField {
    /// DeepSeek, Moonshot, z.ai, xAI, Qwen, llama.cpp.
    ReasoningContent,
    /// Groq, Ollama, Cerebras, OpenRouter.
    Reasoning,
    ReasoningText,
    /// Only in the texts of `reasoning_details` (Snowflake).
    Details,
    /// A part of a `content` that is an array (Mistral).
    ContentPart,
    /// In the text, between `<think>` tags.
    ThinkTag,
}

impl ReasoningField {
    const PLAIN: [Self; 3] = [Self::ReasoningContent, Self::Reasoning, Self::ReasoningText];
    const ALL: [Self; 6] = [
        Self::ReasoningContent,
        Self::Reasoning,
        Self::ReasoningText,
        Self::Details,
        Self::ContentPart,
        Self::ThinkTag,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ReasoningContent => "reasoning_content",
            Self::Reasoning => "reasoning",
            Self::ReasoningText => "reasoning_text",
            Self::Details => "reasoning_details",
            Self::ContentPart => "content",
            Self::ThinkTag => "<think>",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }

    /// The reasoning in a delta, apart from its content. The first field wins: chutes.ai sends two equal ones,
    /// and OpenRouter repeats `reasoning` in `reasoning_details`.
    pub(super) fn read(delta: &Value) -> Option<(Self, String)> {
        let plain = Self::PLAIN.into_iter().find_map(|field| {
            let text = delta[field.name()].as_str()?;
            (!text.is_empty()).then(|| (field, text.to_owned()))
        });
        plain.or_else(|| {
            let text: String = details_of(delta).filter_map(detail_text).collect();
            (!text.is_empty()).then_some((Self::Details, text))
        })
    }
}

/// `reasoning_details`, assembled from their deltas. OpenRouter wants them back verbatim: they hold
/// the signatures and encrypted reasoning of Claude, Gemini and OpenAI models.
#[derive(Debug, Default)]
pub(super) struct ReasoningDetails(Vec<Value>);

impl ReasoningDetails {
    pub(super) fn add(&mut self, delta: &Value, tally: &mut ReplyTally) {
        for detail in details_of(delta) {
            self.push(detail, tally);
        }
    }

    pub(super) fn take(&mut self) -> Option<Value> {
        let details = std::mem::take(&mut self.0);
        (!details.is_empty()).then(|| json!(details))
    }

    fn push(&mut self, detail: &Value, tally: &mut ReplyTally) {
        match self.0.last_mut() {
            Some(last) if is_continued(last, detail) => {
                for (name, value) in detail.as_object().into_iter().flatten() {
                    continue_field(&mut last[name], name, value, tally);
                }
            }
            _ => {
                tally.keep(detail);
                self.0.push(detail.clone());
            }
        }
    }
}

/// Every delta repeats most fields; only what is new takes memory.
fn continue_field(field: &mut Value, name: &str, value: &Value, tally: &mut ReplyTally) {
    if let (Value::String(before), Some(more)) = (&mut *field, value.as_str())
        && ["text", "summary"].contains(&name)
    {
        tally.keep_text(more);
        before.push_str(more);
    } else if !value.is_null() && field != value {
        tally.keep(value);
        *field = value.clone();
    }
}

/// Returns whether `next` continues `last`. Encrypted details arrive whole.
fn is_continued(last: &Value, next: &Value) -> bool {
    let readable = ["reasoning.text", "reasoning.summary"];
    let kind = text_of(&next["type"]);
    readable.contains(&kind) && last["type"] == kind && last["index"] == next["index"]
}

fn details_of(delta: &Value) -> impl Iterator<Item = &Value> {
    delta["reasoning_details"].as_array().into_iter().flatten()
}

fn detail_text(detail: &Value) -> Option<&str> {
    detail["text"]
        .as_str()
        .or_else(|| detail["summary"].as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ReasoningDetails, ReasoningField};
    use crate::wire::ReplyTally;

    #[test]
    fn two_equal_fields_count_once() {
        let delta = json!({"reasoning": "hm", "reasoning_content": "hm"});
        let read = ReasoningField::read(&delta).unwrap();
        assert_eq!(read, (ReasoningField::ReasoningContent, "hm".to_owned()));
    }

    #[test]
    fn pieces_of_a_detail_become_one_element() {
        let mut details = ReasoningDetails::default();
        for piece in [
            json!({"type": "reasoning.text", "text": "a", "index": 0}),
            json!({"type": "reasoning.text", "text": "b", "index": 0, "signature": null}),
            json!({"type": "reasoning.text", "signature": "sig", "index": 0}),
            json!({"type": "reasoning.encrypted", "data": "x", "index": 1}),
            json!({"type": "reasoning.encrypted", "data": "y", "index": 1}),
        ] {
            let delta = json!({"reasoning_details": [piece]});
            details.add(&delta, &mut ReplyTally::default());
        }
        let expected = json!([
            {"type": "reasoning.text", "text": "ab", "index": 0, "signature": "sig"},
            {"type": "reasoning.encrypted", "data": "x", "index": 1},
            {"type": "reasoning.encrypted", "data": "y", "index": 1},
        ]);
        assert_eq!(details.take(), Some(expected));
        assert_eq!(details.take(), None);
    }

    #[test]
    fn a_piece_is_appended_in_place() {
        let piece =
            |text: &str| json!({"reasoning_details": [{"type": "reasoning.text", "text": text}]});
        let (mut details, mut tally) = (ReasoningDetails::default(), ReplyTally::default());
        details.add(&piece(&"t".repeat(1 << 16)), &mut tally);
        let place = |details: &ReasoningDetails| details.0[0]["text"].as_str().unwrap().as_ptr();
        let moves = (0..1_000).filter(|_| {
            let before = place(&details);
            details.add(&piece("a"), &mut tally);
            place(&details) != before
        });
        assert!(moves.count() < 8);
    }
}
