use scorel_engine::{ProviderError, foreign_json};
use serde_json::Value;
use ulid::Ulid;

use super::streamed::contradiction;
use crate::wire::{DecodedReply, arguments_text, non_empty, text_of};

/// A `function_call` item.
#[derive(Debug, Default)]
pub(super) struct OutputCall {
    /// The block number, once the call was announced to the engine.
    block: Option<usize>,
    arguments: String,
}

impl OutputCall {
    /// Announces the call unless it was announced before.
    pub(super) fn begin(&mut self, item: &Value, out: &mut DecodedReply) {
        if self.block.is_some() {
            return;
        }
        let block = out.tally.take_next();
        self.block = Some(block);
        let id = non_empty(&item["call_id"]);
        let id = id.map_or_else(|| format!("call_{}", Ulid::generate()), str::to_owned);
        let fact = metadata(item).map(|metadata| ("call", metadata));
        out.call(block, id, text_of(&item["name"]), fact);
        // Arguments that came before the name.
        out.arguments(block, self.arguments.as_str());
    }

    pub(super) fn delta(&mut self, delta: &str, out: &mut DecodedReply) {
        self.arguments.push_str(delta);
        match self.block {
            Some(block) => out.arguments(block, delta),
            None => out.tally.keep_text(delta),
        }
    }

    /// Takes the final item, whose arguments must agree with the streamed ones.
    pub(super) fn done(
        &mut self,
        item: &Value,
        out: &mut DecodedReply,
    ) -> Result<(), ProviderError> {
        self.begin(item, out);
        let Some(whole) = arguments_text(&item["arguments"]) else {
            return Ok(());
        };
        match whole.strip_prefix(&*self.arguments) {
            Some(rest) => self.delta(rest, out),
            // Some hosts reformat the JSON in the final item.
            None if is_same_json(&self.arguments, &whole) => {}
            None => return Err(contradiction()),
        }
        Ok(())
    }
}

/// The fields of an item that go back with the usual ones, such as its id and namespace.
fn metadata(item: &Value) -> Option<Value> {
    let mut fields = item.as_object()?.clone();
    for field in ["type", "status", "call_id", "name", "arguments"] {
        fields.shift_remove(field);
    }
    (!fields.is_empty()).then_some(Value::Object(fields))
}

fn is_same_json(one: &str, other: &str) -> bool {
    let parsed = |text: &str| foreign_json::<Value>(text.as_bytes()).ok();
    parsed(one).is_some_and(|one| Some(one) == parsed(other))
}
