//! The items of a response while they stream.
//!
//! An item is known by its place in the output: one host gives it another id in every event. What
//! an item holds when it is done counts; the pieces before are for people who watch.

mod call;
mod message;
mod reasoning;

use std::collections::BTreeMap;

use scorel_runtime::{ErrorCategory, ProviderError, ProviderEvent};
use serde_json::Value;

use crate::wire::ModelOrigin;
use call::Call;
use message::Message;
use reasoning::{Part, Reasoning};

/// The items of a response.
#[derive(Debug)]
pub(super) struct Output {
    origin: ModelOrigin,
    items: BTreeMap<u64, Item>,
    blocks: Blocks,
    refused: bool,
}

#[derive(Debug)]
struct Item {
    content: Content,
    done: bool,
}

#[derive(Debug)]
enum Content {
    Message(Message),
    Reasoning(Reasoning),
    Call(Call),
    Opaque,
}

/// Numbers the blocks of the answer.
#[derive(Debug, Default)]
struct Blocks(usize);

impl Blocks {
    const fn next(&mut self) -> usize {
        self.0 += 1;
        self.0 - 1
    }
}

impl Output {
    pub(super) const fn new(origin: ModelOrigin) -> Self {
        Self {
            origin,
            items: BTreeMap::new(),
            blocks: Blocks(0),
            refused: false,
        }
    }

    /// Whether the model called tools.
    pub(super) fn has_calls(&self) -> bool {
        let is_call = |item: &Item| matches!(item.content, Content::Call(_));
        self.items.values().any(is_call)
    }

    /// Whether the model said that it refuses.
    pub(super) const fn is_refusal(&self) -> bool {
        self.refused
    }

    /// Takes an event about an item; `kind` is its type without `response.`.
    pub(super) fn event(
        &mut self,
        kind: &str,
        event: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        let delta = event["delta"].as_str().unwrap_or_default();
        let number = |field: &str| event[field].as_u64().unwrap_or(0);
        let place = self.place(event);
        match kind {
            "output_item.added" => self.added(place, &event["item"], out),
            "output_item.done" => self.done(place, &event["item"], out)?,
            "output_text.delta" => self.text(place, number("content_index"), delta, false, out),
            "refusal.delta" => self.text(place, number("content_index"), delta, true, out),
            "reasoning_summary_text.delta" => {
                self.thinking(place, Part::Summary(number("summary_index")), delta, out);
            }
            "reasoning_text.delta" => {
                self.thinking(place, Part::Text(number("content_index")), delta, out);
            }
            "function_call_arguments.delta" => self.arguments(place, delta, out),
            // The rest repeats what was said, or is about items that only the endpoint understands.
            _ => {}
        }
        Ok(())
    }

    /// Takes the response as it is at its end. Items count that did not stream or have no end; some
    /// hosts leave all of them out here.
    pub(super) fn complete(
        &mut self,
        response: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        let streamed = !self.items.is_empty();
        let items = response["output"].as_array().into_iter().flatten();
        for (place, item) in (0..).zip(items) {
            let is_open = self.items.get(&place).is_some_and(|item| !item.done);
            if is_open || !streamed {
                self.done(place, item, out)?;
            }
        }
        for item in self.items.values_mut() {
            if let Content::Call(call) = &mut item.content {
                call.begin(&Value::Null, &self.origin, &mut self.blocks, out);
            }
        }
        Ok(())
    }

    /// The place that an event names, else that of the last item.
    fn place(&self, event: &Value) -> u64 {
        let last = || self.items.keys().next_back().copied();
        let place = event["output_index"].as_u64();
        place.or_else(last).unwrap_or(0)
    }

    fn added(&mut self, place: u64, item: &Value, out: &mut Vec<ProviderEvent>) {
        let content = Content::of(item);
        let item_state = self.items.entry(place).or_insert(Item {
            content,
            done: false,
        });
        if let Content::Call(call) = &mut item_state.content
            && item["name"].as_str().is_some_and(|name| !name.is_empty())
        {
            call.begin(item, &self.origin, &mut self.blocks, out);
        }
    }

    fn done(
        &mut self,
        place: u64,
        item: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        let entry = self.items.entry(place).or_insert_with(|| Item {
            content: Content::of(item),
            done: false,
        });
        entry.done = true;
        let (origin, blocks) = (&self.origin, &mut self.blocks);
        match &mut entry.content {
            Content::Message(message) => {
                self.refused |= message.done(item, origin, blocks, out);
            }
            Content::Reasoning(reasoning) => reasoning.done(item, origin, blocks, out),
            Content::Call(call) => return call.done(item, origin, blocks, out),
            // One that waits for an answer of ours cannot go back: it will get none.
            Content::Opaque if item["call_id"].is_string() => {}
            // An empty text is its place in the answer.
            Content::Opaque => out.push(ProviderEvent::TextMeta {
                block: blocks.next(),
                provider: origin.tag("item", item.clone()),
            }),
        }
        Ok(())
    }

    fn text(
        &mut self,
        place: u64,
        part: u64,
        delta: &str,
        refusal: bool,
        out: &mut Vec<ProviderEvent>,
    ) {
        let content = self.content(place, || Content::Message(Message::default()));
        if let (Content::Message(message), blocks) = content {
            message.delta(part, refusal, delta, blocks, out);
            self.refused |= refusal && !delta.is_empty();
        }
    }

    fn thinking(&mut self, place: u64, part: Part, delta: &str, out: &mut Vec<ProviderEvent>) {
        let content = self.content(place, || Content::Reasoning(Reasoning::default()));
        if let (Content::Reasoning(reasoning), blocks) = content {
            reasoning.delta(part, delta, blocks, out);
        }
    }

    fn arguments(&mut self, place: u64, delta: &str, out: &mut Vec<ProviderEvent>) {
        if let (Content::Call(call), _) = self.content(place, || Content::Call(Call::default())) {
            call.delta(delta, out);
        }
    }

    /// The item at a place, made by `new` if its beginning was not told.
    fn content(
        &mut self,
        place: u64,
        new: impl FnOnce() -> Content,
    ) -> (&mut Content, &mut Blocks) {
        let item = self.items.entry(place).or_insert_with(|| Item {
            content: new(),
            done: false,
        });
        (&mut item.content, &mut self.blocks)
    }
}

impl Content {
    fn of(item: &Value) -> Self {
        match item["type"].as_str() {
            Some("message") => Self::Message(Message::default()),
            Some("reasoning") => Self::Reasoning(Reasoning::default()),
            Some("function_call") => Self::Call(Call::default()),
            _ => Self::Opaque,
        }
    }
}

/// What the pieces of a text did not bring of it.
fn missing<'a>(streamed: &str, whole: &'a str) -> &'a str {
    whole.strip_prefix(streamed).unwrap_or_else(|| {
        tracing::warn!("the endpoint's pieces of a text do not make up the text");
        ""
    })
}

/// The pieces of a call's arguments were others than the arguments.
fn contradiction() -> ProviderError {
    ProviderError {
        category: ErrorCategory::BadModelOutput,
        retryable: true,
        retry_after: None,
        status: None,
        message: "the endpoint's pieces of a tool call do not make up the call".to_owned(),
        usage: None,
    }
}
