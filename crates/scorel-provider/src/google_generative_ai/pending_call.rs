use serde_json::{Value, json};
use ulid::Ulid;

use super::json_path;
use super::passback::{CALL, CallFacts};
use crate::wire::{DecodedReply, ReplyTally, non_empty};

/// A call whose arguments may arrive in pieces (`streamFunctionCallArguments`): each has a path and
/// a value, and strings continue those at the same path.
#[derive(Debug)]
pub(super) struct PendingCall {
    name: String,
    facts: CallFacts,
    arguments: Value,
}

/// A piece of the arguments contradicts the pieces before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConflictingArguments;

impl PendingCall {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            facts: CallFacts::default(),
            arguments: Value::Null,
        }
    }
    pub(super) fn add(
        &mut self,
        call: &Value,
        signature: Option<&str>,
        tally: &mut ReplyTally,
    ) -> Result<(), ConflictingArguments> {
        if let Some(id) = non_empty(&call["id"]) {
            tally.keep_text(id);
            self.facts.id = Some(id.to_owned());
        }
        if let Some(signature) = signature {
            tally.keep_text(signature);
            self.facts.signature = Some(signature.to_owned());
        }
        if let Some(arguments) = call.get("args").filter(|arguments| arguments.is_object()) {
            tally.keep(arguments);
            self.arguments = arguments.clone();
        }
        let mut pieces = call["partialArgs"].as_array().into_iter().flatten();
        pieces.try_for_each(|piece| self.piece(piece, tally))
    }

    fn piece(&mut self, piece: &Value, tally: &mut ReplyTally) -> Result<(), ConflictingArguments> {
        if self.arguments.is_null() {
            self.arguments = json!({});
        }
        let path = piece["jsonPath"].as_str().ok_or(ConflictingArguments)?;
        let target = json_path::resolve(&mut self.arguments, path, tally);
        let target = target.ok_or(ConflictingArguments)?;
        if let Some(text) = piece["stringValue"].as_str() {
            tally.keep_text(text);
            match target {
                Value::String(begun) => begun.push_str(text),
                Value::Null => *target = json!(text),
                _ => return Err(ConflictingArguments),
            }
        } else if let Some(value) = piece.get("numberValue").or_else(|| piece.get("boolValue")) {
            tally.keep(value);
            *target = value.clone();
        }
        Ok(())
    }

    /// Emits the whole call. About half of all recorded calls have no id; they get one of ours.
    pub(super) fn finish(self, out: &mut DecodedReply) {
        let block = out.tally.take_next();
        let facts = json!(self.facts);
        let id = self.facts.id;
        let id = id.unwrap_or_else(|| format!("call_{}", Ulid::generate()));
        out.call(block, id, &self.name, Some((CALL, facts)));
        if !self.arguments.is_null() {
            out.arguments(block, self.arguments.to_string());
        }
    }
}
