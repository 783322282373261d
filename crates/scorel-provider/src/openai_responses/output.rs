//! The output items of a response while they stream.
//!
//! Items are known by `output_index`, not by id: GitHub Copilot sends another id in every event. The
//! final item (`output_item.done`) is authoritative; the deltas before it are for display, and some
//! hosts leave part of them out.

mod call;
mod message;
mod reasoning;
mod streamed;

use std::collections::BTreeMap;

use scorel_runtime::{ProviderError, ProviderEvent};
use serde_json::Value;

use crate::wire::{BlockNumbers, ModelOrigin, non_empty, text_of};
use call::OutputCall;
use message::OutputMessage;
use reasoning::{OutputReasoning, ReasoningPart};

#[derive(Debug)]
pub(super) struct ResponseOutput {
    origin: ModelOrigin,
    /// By `output_index`.
    items: BTreeMap<u64, OutputItem>,
    numbers: BlockNumbers,
    refused: bool,
}

#[derive(Debug)]
struct OutputItem {
    content: OutputContent,
    done: bool,
}

#[derive(Debug)]
enum OutputContent {
    Message(OutputMessage),
    Reasoning(OutputReasoning),
    Call(OutputCall),
    Opaque,
}

impl ResponseOutput {
    pub(super) fn new(origin: ModelOrigin) -> Self {
        Self {
            origin,
            items: BTreeMap::new(),
            numbers: BlockNumbers::default(),
            refused: false,
        }
    }

    /// Whether the output contains a refusal.
    pub(super) const fn is_refusal(&self) -> bool {
        self.refused
    }

    /// Takes an event about an item. `kind` is its type without `response.`.
    pub(super) fn event(
        &mut self,
        kind: &str,
        event: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        let delta = text_of(&event["delta"]);
        let number = |field: &str| event[field].as_u64().unwrap_or(0);
        let at = self.output_index(event);
        match kind {
            "output_item.added" => self.added(at, &event["item"], out),
            "output_item.done" => self.done(at, &event["item"], out)?,
            "output_text.delta" => self.text(at, number("content_index"), delta, false, out),
            "refusal.delta" => self.text(at, number("content_index"), delta, true, out),
            "reasoning_summary_text.delta" => {
                let part = ReasoningPart::Summary(number("summary_index"));
                self.thinking(at, part, delta, out);
            }
            "reasoning_text.delta" => {
                let part = ReasoningPart::Text(number("content_index"));
                self.thinking(at, part, delta, out);
            }
            "function_call_arguments.delta" => self.arguments(at, delta, out),
            // Repeats what the deltas said, or concerns opaque items.
            _ => {}
        }
        Ok(())
    }

    /// Takes the output of the terminal event: items that did not stream or were not closed. The
    /// ChatGPT backend leaves the output empty here.
    pub(super) fn complete(
        &mut self,
        response: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        let streamed = !self.items.is_empty();
        let items = response["output"].as_array().into_iter().flatten();
        for (at, item) in (0..).zip(items) {
            let is_open = self.items.get(&at).is_some_and(|item| !item.done);
            if is_open || !streamed {
                self.done(at, item, out)?;
            }
        }
        // Calls that never got a name get an error result instead of getting lost.
        for item in self.items.values_mut() {
            if let OutputContent::Call(call) = &mut item.content {
                call.begin(&Value::Null, &self.origin, &mut self.numbers, out);
            }
        }
        Ok(())
    }

    /// The event's `output_index`, or the last item's on hosts that leave it out.
    fn output_index(&self, event: &Value) -> u64 {
        let last = || self.items.keys().next_back().copied();
        let index = event["output_index"].as_u64();
        index.or_else(last).unwrap_or(0)
    }

    fn added(&mut self, at: u64, item: &Value, out: &mut Vec<ProviderEvent>) {
        let (origin, entry, numbers) = self.entry(at, || OutputContent::of(item));
        if let OutputContent::Call(call) = &mut entry.content
            && non_empty(&item["name"]).is_some()
        {
            call.begin(item, origin, numbers, out);
        }
    }

    fn done(
        &mut self,
        at: u64,
        item: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        let (origin, entry, numbers) = self.entry(at, || OutputContent::of(item));
        entry.done = true;
        match &mut entry.content {
            OutputContent::Message(message) => {
                self.refused |= message.done(item, origin, numbers, out);
            }
            OutputContent::Reasoning(reasoning) => reasoning.done(item, origin, numbers, out),
            OutputContent::Call(call) => return call.done(item, origin, numbers, out),
            // A call of a kind that we do not run gets no output, and an input with an unanswered
            // call is rejected.
            OutputContent::Opaque if item["call_id"].is_string() => {}
            // An empty text block marks its position.
            OutputContent::Opaque => out.push(ProviderEvent::TextMeta {
                block: numbers.take_next(),
                provider: origin.tag("item", item.clone()),
            }),
        }
        Ok(())
    }

    fn text(
        &mut self,
        at: u64,
        part: u64,
        delta: &str,
        refusal: bool,
        out: &mut Vec<ProviderEvent>,
    ) {
        let new = || OutputContent::Message(OutputMessage::default());
        let (_, entry, numbers) = self.entry(at, new);
        if let OutputContent::Message(message) = &mut entry.content {
            message.delta(part, refusal, delta, numbers, out);
            self.refused |= refusal && !delta.is_empty();
        }
    }

    fn thinking(
        &mut self,
        at: u64,
        part: ReasoningPart,
        delta: &str,
        out: &mut Vec<ProviderEvent>,
    ) {
        let new = || OutputContent::Reasoning(OutputReasoning::default());
        let (_, entry, numbers) = self.entry(at, new);
        if let OutputContent::Reasoning(reasoning) = &mut entry.content {
            reasoning.delta(part, delta, numbers, out);
        }
    }

    fn arguments(&mut self, at: u64, delta: &str, out: &mut Vec<ProviderEvent>) {
        let new = || OutputContent::Call(OutputCall::default());
        if let OutputContent::Call(call) = &mut self.entry(at, new).1.content {
            call.delta(delta, out);
        }
    }

    /// The item at an index, created if its `output_item.added` was left out.
    fn entry(
        &mut self,
        at: u64,
        new: impl FnOnce() -> OutputContent,
    ) -> (&ModelOrigin, &mut OutputItem, &mut BlockNumbers) {
        let item = self.items.entry(at).or_insert_with(|| OutputItem {
            content: new(),
            done: false,
        });
        (&self.origin, item, &mut self.numbers)
    }
}

impl OutputContent {
    fn of(item: &Value) -> Self {
        match item["type"].as_str() {
            Some("message") => Self::Message(OutputMessage::default()),
            Some("reasoning") => Self::Reasoning(OutputReasoning::default()),
            Some("function_call") => Self::Call(OutputCall::default()),
            // Web search, MCP, code interpreter, compaction and so on: replayed unchanged.
            _ => Self::Opaque,
        }
    }
}
