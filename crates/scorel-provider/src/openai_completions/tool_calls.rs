use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use ulid::Ulid;

use crate::wire::{DecodedReply, arguments_text, text_of};

/// The field of calls and messages that Google's chat completions put signatures into.
pub(super) const EXTRA_CONTENT: &str = "extra_content";

/// The tool calls of one reply while they stream.
#[derive(Debug, Default)]
pub(super) struct StreamedCalls {
    calls: Vec<StreamedCall>,
    /// The last call of each index.
    by_index: HashMap<u64, usize>,
    /// The last call of each id of the server's.
    by_id: HashMap<String, usize>,
    /// The ids under which calls were announced.
    ids: HashSet<String>,
}

#[derive(Debug)]
struct StreamedCall {
    /// The server's id; empty if there was none so far.
    id: String,
    block: usize,
    /// The id under which the call was announced to the engine. That needs the name, which may come
    /// after the first arguments.
    announced: Option<String>,
    /// Arguments that came before the name.
    held: String,
    /// The data that the server wants back with the call, as Gemini's thought signature.
    extra: Option<Value>,
}

impl StreamedCalls {
    /// Takes one element of a delta's `tool_calls`. Some servers repeat id and name in every delta
    /// or send them empty, so they are set once and never appended.
    pub(super) fn delta(&mut self, delta: &Value, out: &mut DecodedReply) {
        let id = text_of(&delta["id"]);
        let index = delta["index"].as_u64();
        let name = text_of(&delta["function"]["name"]);
        let position = self
            .position(index, id, name)
            .unwrap_or_else(|| self.begin(index, out.tally.take_next()));
        if self.calls[position].id.is_empty() && !id.is_empty() {
            out.tally.keep_text(id);
            id.clone_into(&mut self.calls[position].id);
            self.by_id.insert(id.to_owned(), position);
        }
        if let Some(extra) = delta.get(EXTRA_CONTENT).filter(|extra| !extra.is_null()) {
            out.tally.keep(extra);
            self.calls[position].extra = Some(extra.clone());
        }
        if !name.is_empty() {
            self.announce(position, name, out);
        }
        if let Some(arguments) = arguments_text(&delta["function"]["arguments"]) {
            self.calls[position].append(arguments, out);
        }
    }

    /// Announces calls that never got a name: they get an error result instead of getting lost.
    pub(super) fn finish(&mut self, out: &mut DecodedReply) {
        for position in 0..self.calls.len() {
            self.announce(position, "", out);
        }
    }

    /// The extra content of calls by their ids; `None` if there is none. Takes it.
    pub(super) fn take_extras(&mut self) -> Option<Value> {
        let calls = self.calls.iter_mut();
        let extras = calls.filter_map(|call| Some((call.announced.clone()?, call.extra.take()?)));
        let extras: Map<String, Value> = extras.collect();
        (!extras.is_empty()).then_some(Value::Object(extras))
    }

    fn begin(&mut self, index: Option<u64>, block: usize) -> usize {
        let position = self.calls.len();
        self.by_index.extend(index.map(|index| (index, position)));
        self.calls.push(StreamedCall {
            id: String::new(),
            block,
            announced: None,
            held: String::new(),
            extra: None,
        });
        position
    }

    /// The call that a delta continues.
    ///
    /// By index, unless it comes with another id: some servers count every call as 0. Without an
    /// index (Mistral, sometimes) or with one that names no call (some servers count pieces), by id. With
    /// neither it is the last call, unless a name begins another.
    fn position(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let continues = |call: &StreamedCall| id.is_empty() || call.id.is_empty() || call.id == id;
        match index.and_then(|index| self.by_index.get(&index).copied()) {
            Some(last) => Some(last).filter(|position| continues(&self.calls[*position])),
            None if !name.is_empty() && index.is_some() => None,
            None if !id.is_empty() => self.by_id.get(id).copied(),
            None if name.is_empty() => self.calls.len().checked_sub(1),
            None => None,
        }
    }

    fn announce(&mut self, position: usize, name: &str, out: &mut DecodedReply) {
        if self.calls[position].announced.is_some() {
            return;
        }
        let id = self.unique_id(self.calls[position].id.clone());
        let call = &mut self.calls[position];
        out.call(call.block, id.clone(), name, None);
        call.announced = Some(id);
        out.arguments(call.block, std::mem::take(&mut call.held));
    }

    /// The server's id, or a new one if it sent none or sent it twice.
    fn unique_id(&mut self, id: String) -> String {
        if id.is_empty() || !self.ids.insert(id.clone()) {
            format!("call_{}", Ulid::generate())
        } else {
            id
        }
    }
}

impl StreamedCall {
    fn append(&mut self, arguments: String, out: &mut DecodedReply) {
        if self.announced.is_some() {
            out.arguments(self.block, arguments);
        } else {
            out.tally.keep_text(&arguments);
            self.held.push_str(&arguments);
        }
    }
}
