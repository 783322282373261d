use scorel_runtime::ProviderEvent;
use serde_json::{Value, json};
use ulid::Ulid;

use super::json_path;
use super::passback::CallFacts;
use crate::wire::ModelOrigin;

/// A call whose arguments may come in pieces.
#[derive(Debug)]
pub(super) struct PendingCall {
    name: String,
    facts: CallFacts,
    arguments: Value,
}

/// A piece of arguments does not fit to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Misplaced;

impl PendingCall {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            facts: CallFacts::default(),
            arguments: Value::Null,
        }
    }

    /// Takes one `functionCall`.
    pub(super) fn add(&mut self, call: &Value, signature: Option<&str>) -> Result<(), Misplaced> {
        if let Some(id) = call["id"].as_str().filter(|id| !id.is_empty()) {
            self.facts.id = Some(id.to_owned());
        }
        if let Some(signature) = signature {
            self.facts.signature = Some(signature.to_owned());
        }
        if let Some(arguments) = call.get("args").filter(|arguments| arguments.is_object()) {
            self.arguments = arguments.clone();
        }
        let pieces = call["partialArgs"].as_array().into_iter().flatten();
        pieces.into_iter().try_for_each(|piece| self.piece(piece))
    }

    fn piece(&mut self, piece: &Value) -> Result<(), Misplaced> {
        if self.arguments.is_null() {
            self.arguments = json!({});
        }
        let path = piece["jsonPath"].as_str().ok_or(Misplaced)?;
        let place = json_path::place(&mut self.arguments, path).ok_or(Misplaced)?;
        if let Some(text) = piece["stringValue"].as_str() {
            match place {
                Value::String(begun) => begun.push_str(text),
                Value::Null => *place = json!(text),
                _ => return Err(Misplaced),
            }
        } else if let Some(value) = piece.get("numberValue").or_else(|| piece.get("boolValue")) {
            *place = value.clone();
        }
        Ok(())
    }

    /// The events of the whole call.
    pub(super) fn finish(self, block: usize, origin: &ModelOrigin, out: &mut Vec<ProviderEvent>) {
        let provider = Some(self.facts.tag(origin));
        let id = self.facts.id;
        out.push(ProviderEvent::ToolCallStart {
            block,
            id: id.unwrap_or_else(|| format!("call_{}", Ulid::generate())),
            name: self.name,
            provider,
        });
        if !self.arguments.is_null() {
            let delta = self.arguments.to_string();
            out.push(ProviderEvent::ToolCallDelta { block, delta });
        }
    }
}
