//! The output items of a response while they stream.
//!
//! Items are known by `output_index`, not by id: GitHub Copilot sends another id in every event. Hosts
//! that send no index (llama.cpp) announce their items in order, and end them in the same order. The final
//! item (`output_item.done`) is authoritative; the deltas before it are for display, and some
//! hosts leave part of them out.

mod call;
mod message;
mod reasoning;
mod streamed;

use std::collections::BTreeMap;
use std::mem::discriminant;

use scorel_engine::ProviderError;
use serde_json::Value;

use crate::wire::{DecodedReply, non_empty, text_of};
use call::OutputCall;
use message::OutputMessage;
use reasoning::{OutputReasoning, ReasoningPart};

#[derive(Debug, Default)]
pub(super) struct ResponseOutput {
    /// The items by their `output_index`.
    items: BTreeMap<u64, OutputItem>,
    /// True if an event had an `output_index`.
    has_places: bool,
    /// True if the output contains a refusal.
    pub(super) refused: bool,
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
    /// Takes an event about an item. `kind` is its type without `response.`.
    pub(super) fn event(
        &mut self,
        kind: &str,
        event: &Value,
        out: &mut DecodedReply,
    ) -> Result<(), ProviderError> {
        let delta = text_of(&event["delta"]);
        let number = |field: &str| event[field].as_u64().unwrap_or(0);
        let item = &event["item"];
        let place = event["output_index"].as_u64();
        self.has_places |= place.is_some();
        // Other events repeat what the deltas said, or concern opaque items.
        let Some(new) = OutputContent::of_event(kind, item) else {
            return Ok(());
        };
        let at = place.unwrap_or_else(|| self.guessed_place(kind, &new));
        if kind == "output_item.done" {
            return self.done(at, item, out);
        }
        match (&mut self.entry(at, new, out).content, kind) {
            (OutputContent::Call(call), "output_item.added")
                if non_empty(&item["name"]).is_some() =>
            {
                call.begin(item, out);
            }
            (OutputContent::Call(call), "function_call_arguments.delta") => {
                call.delta(delta, out);
            }
            (OutputContent::Message(message), "output_text.delta") => {
                message.delta(number("content_index"), false, delta, out);
            }
            (OutputContent::Message(message), "refusal.delta") => {
                message.delta(number("content_index"), true, delta, out);
                self.refused |= !delta.is_empty();
            }
            (OutputContent::Reasoning(reasoning), "reasoning_summary_text.delta") => {
                reasoning.delta(ReasoningPart::Summary(number("summary_index")), delta, out);
            }
            (OutputContent::Reasoning(reasoning), "reasoning_text.delta") => {
                reasoning.delta(ReasoningPart::Text(number("content_index")), delta, out);
            }
            // The item is only announced, or is of another kind than its event.
            _ => {}
        }
        Ok(())
    }

    /// Takes the output of the terminal event: items that did not stream or were not closed. The
    /// ChatGPT backend leaves the output empty here.
    pub(super) fn complete(
        &mut self,
        response: &Value,
        out: &mut DecodedReply,
    ) -> Result<(), ProviderError> {
        let items = response["output"].as_array().map_or(&[][..], Vec::as_slice);
        for (at, item) in self.unended(items) {
            self.done(at, item, out)?;
        }
        // Calls that never got a name get an error result instead of getting lost.
        for item in self.items.values_mut() {
            if let OutputContent::Call(call) = &mut item.content {
                call.begin(&Value::Null, out);
            }
        }
        Ok(())
    }

    /// The items of the terminal event that are still to be taken, with their places.
    fn unended<'a>(&self, output: &'a [Value]) -> Vec<(u64, &'a Value)> {
        if self.has_places && !self.items.is_empty() {
            let is_open = |at: &u64| self.items.get(at).is_some_and(|item| !item.done);
            return (0..).zip(output).filter(|(at, _)| is_open(at)).collect();
        }
        // Without places the nth item of a kind is the nth that streamed; one beyond these did not stream.
        let mut streamed: Vec<_> = self.items.iter().collect();
        let mut next = self.next_place();
        let mut unended = Vec::new();
        for item in output {
            let kind = discriminant(&OutputContent::of(item));
            let is_it = |(_, known): &(&u64, &OutputItem)| discriminant(&known.content) == kind;
            match streamed.iter().position(is_it) {
                Some(position) => {
                    let (at, known) = streamed.remove(position);
                    if !known.done {
                        unended.push((*at, item));
                    }
                }
                None => {
                    unended.push((next, item));
                    next += 1;
                }
            }
        }
        unended
    }

    /// Where an event without `output_index` belongs: an item that is announced is a new one, the first of its
    /// kind that is open is the one that ends, and the last such is the one that goes on.
    fn guessed_place(&self, kind: &str, of_kind: &OutputContent) -> u64 {
        let mut open = self.open_of(of_kind);
        let found = match kind {
            "output_item.added" => None,
            "output_item.done" => open.next(),
            _ => open.next_back(),
        };
        found.unwrap_or_else(|| self.next_place())
    }

    /// The places of the items of the same kind that have not ended.
    fn open_of(&self, kind: &OutputContent) -> impl DoubleEndedIterator<Item = u64> {
        let kind = discriminant(kind);
        let is_it = move |item: &OutputItem| !item.done && discriminant(&item.content) == kind;
        let items = self.items.iter();
        items.filter_map(move |(at, item)| is_it(item).then_some(*at))
    }

    fn next_place(&self) -> u64 {
        let last = self.items.keys().next_back();
        last.map_or(0, |last| last.saturating_add(1))
    }

    fn done(&mut self, at: u64, item: &Value, out: &mut DecodedReply) -> Result<(), ProviderError> {
        let entry = self.entry(at, OutputContent::of(item), out);
        if std::mem::replace(&mut entry.done, true) {
            return Ok(());
        }
        match &mut entry.content {
            OutputContent::Message(message) => {
                self.refused |= message.done(item, out);
            }
            OutputContent::Reasoning(reasoning) => reasoning.done(item, out),
            OutputContent::Call(call) => return call.done(item, out),
            // A call of a kind that we do not run gets no output, and an input with an unanswered
            // call is rejected.
            OutputContent::Opaque if item["call_id"].is_string() => {}
            // An empty text block marks its position.
            OutputContent::Opaque => {
                let block = out.tally.take_next();
                out.text_fact(block, "item", item.clone());
            }
        }
        Ok(())
    }

    /// The item at an index, created if its `output_item.added` was left out.
    fn entry(
        &mut self,
        at: u64,
        content: OutputContent,
        out: &mut DecodedReply,
    ) -> &mut OutputItem {
        self.items.entry(at).or_insert_with(|| {
            out.tally.add_part();
            OutputItem {
                content,
                done: false,
            }
        })
    }
}

impl OutputContent {
    /// The item that an event is about, still empty; `None` if it says nothing new about it.
    fn of_event(kind: &str, item: &Value) -> Option<Self> {
        match kind {
            "output_item.added" | "output_item.done" => Some(Self::of(item)),
            "output_text.delta" | "refusal.delta" => Some(Self::Message(OutputMessage::default())),
            "reasoning_summary_text.delta" | "reasoning_text.delta" => {
                Some(Self::Reasoning(OutputReasoning::default()))
            }
            "function_call_arguments.delta" => Some(Self::Call(OutputCall::default())),
            _ => None,
        }
    }

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
