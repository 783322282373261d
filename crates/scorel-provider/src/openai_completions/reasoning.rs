//! Where hosts put reasoning, and how it is kept to be sent back.

use serde_json::{Value, json};

/// The part of an answer that reasoning came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    ReasoningContent,
    Reasoning,
    ReasoningText,
    /// Only in the texts of `reasoning_details`.
    Details,
    /// As a part of a `content` that is an array.
    ContentPart,
    /// In the text, between tags.
    ThinkTag,
}

impl Field {
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

    /// The reasoning in a delta beside its content. Some hosts send it in two fields at once: the
    /// first counts.
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

/// The elements of `reasoning_details`, put together from their pieces.
#[derive(Debug, Default)]
pub(super) struct Details(Vec<Value>);

impl Details {
    pub(super) fn add(&mut self, delta: &Value) {
        for detail in details_of(delta) {
            self.push(detail);
        }
    }

    /// All elements; `None` if there are none.
    pub(super) fn take(&mut self) -> Option<Value> {
        let details = std::mem::take(&mut self.0);
        (!details.is_empty()).then(|| json!(details))
    }

    fn push(&mut self, detail: &Value) {
        let text = ["text", "summary"];
        match self.0.last_mut() {
            Some(last) if is_continued(last, detail) => {
                for (name, value) in detail.as_object().into_iter().flatten() {
                    match (last[name].as_str(), value.as_str()) {
                        (Some(before), Some(more)) if text.contains(&name.as_str()) => {
                            last[name] = json!(format!("{before}{more}"));
                        }
                        _ if value.is_null() => {}
                        _ => last[name] = value.clone(),
                    }
                }
            }
            _ => self.0.push(detail.clone()),
        }
    }
}

/// Whether the second piece belongs to the same element as the first. Encrypted ones come whole.
fn is_continued(last: &Value, next: &Value) -> bool {
    let readable = ["reasoning.text", "reasoning.summary"];
    let kind = next["type"].as_str().unwrap_or_default();
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

    use super::{Details, Field};

    #[test]
    fn two_equal_fields_count_once() {
        let delta = json!({"reasoning": "hm", "reasoning_content": "hm"});
        let read = Field::read(&delta).unwrap();
        assert_eq!(read, (Field::ReasoningContent, "hm".to_owned()));
    }

    #[test]
    fn pieces_of_a_detail_become_one_element() {
        let mut details = Details::default();
        for piece in [
            json!({"type": "reasoning.text", "text": "a", "index": 0}),
            json!({"type": "reasoning.text", "text": "b", "index": 0, "signature": null}),
            json!({"type": "reasoning.text", "signature": "sig", "index": 0}),
            json!({"type": "reasoning.encrypted", "data": "x", "index": 1}),
            json!({"type": "reasoning.encrypted", "data": "y", "index": 1}),
        ] {
            details.add(&json!({"reasoning_details": [piece]}));
        }
        let expected = json!([
            {"type": "reasoning.text", "text": "ab", "index": 0, "signature": "sig"},
            {"type": "reasoning.encrypted", "data": "x", "index": 1},
            {"type": "reasoning.encrypted", "data": "y", "index": 1},
        ]);
        assert_eq!(details.take(), Some(expected));
        assert_eq!(details.take(), None);
    }
}
