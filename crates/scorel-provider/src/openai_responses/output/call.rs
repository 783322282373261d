use scorel_runtime::{ProviderError, ProviderEvent};
use serde_json::Value;
use ulid::Ulid;

use super::{Blocks, contradiction};
use crate::wire::ModelOrigin;

/// A tool call of the model.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// Which block of the answer it is, once it was announced.
    block: Option<usize>,
    arguments: String,
}

impl Call {
    /// Announces the call, unless it was.
    pub(super) fn begin(
        &mut self,
        item: &Value,
        origin: &ModelOrigin,
        blocks: &mut Blocks,
        out: &mut Vec<ProviderEvent>,
    ) {
        if self.block.is_some() {
            return;
        }
        let block = blocks.next();
        self.block = Some(block);
        let id = item["call_id"].as_str().filter(|id| !id.is_empty());
        out.push(ProviderEvent::ToolCallStart {
            block,
            id: id.map_or_else(|| format!("call_{}", Ulid::generate()), str::to_owned),
            name: item["name"].as_str().unwrap_or_default().to_owned(),
            provider: kept(item).map(|kept| origin.tag("call", kept)),
        });
        // Arguments that came before the name.
        self.show(self.arguments.clone(), out);
    }

    pub(super) fn delta(&mut self, delta: &str, out: &mut Vec<ProviderEvent>) {
        self.arguments.push_str(delta);
        self.show(delta.to_owned(), out);
    }

    /// Takes the whole call. Its arguments must be those that were shown.
    pub(super) fn done(
        &mut self,
        item: &Value,
        origin: &ModelOrigin,
        blocks: &mut Blocks,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), ProviderError> {
        self.begin(item, origin, blocks, out);
        // A whole object is what some hosts send in place of its text.
        let whole = match &item["arguments"] {
            Value::String(text) => text.clone(),
            object @ Value::Object(_) => object.to_string(),
            _ => return Ok(()),
        };
        match whole.strip_prefix(&*self.arguments) {
            Some(rest) => self.delta(rest, out),
            None if is_same(&self.arguments, &whole) => {}
            None => return Err(contradiction()),
        }
        Ok(())
    }

    fn show(&self, delta: String, out: &mut Vec<ProviderEvent>) {
        if let Some(block) = self.block.filter(|_| !delta.is_empty()) {
            out.push(ProviderEvent::ToolCallDelta { block, delta });
        }
    }
}

/// What has to go back with a call beside what every call has: its item's id, a name space.
fn kept(item: &Value) -> Option<Value> {
    let mut kept = item.as_object()?.clone();
    for field in ["type", "status", "call_id", "name", "arguments"] {
        kept.shift_remove(field);
    }
    (!kept.is_empty()).then_some(Value::Object(kept))
}

/// Whether two texts are the same JSON.
fn is_same(one: &str, other: &str) -> bool {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    parsed(one).is_some_and(|one| Some(one) == parsed(other))
}
