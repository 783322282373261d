//! Blocks of tools that run at the endpoint: kept beside the message, sent back where they were.

use serde_json::{Value, json};

use crate::wire::ModelOrigin;

/// Under which name the blocks are kept with the message.
const FACT: &str = "blocks";

/// The blocks of one answer, each with how many of the engine's blocks came before it.
#[derive(Debug, Default)]
pub(super) struct OpaqueBlocks {
    blocks: Vec<Value>,
}

impl OpaqueBlocks {
    pub(super) fn push(&mut self, at: usize, block: &Value) {
        self.blocks.push(json!({"at": at, "block": block}));
    }

    /// What to keep with the message; `None` if there is nothing.
    pub(super) fn keep(self, origin: &ModelOrigin) -> Option<Value> {
        let some = !self.blocks.is_empty();
        some.then(|| origin.tag(FACT, Value::Array(self.blocks)))
    }
}

/// Those of the kept blocks that came directly before the engine's block `at`.
pub(super) fn kept_at(kept: &[Value], at: usize) -> impl Iterator<Item = &Value> {
    let here = move |kept: &&Value| kept["at"].as_u64() == u64::try_from(at).ok();
    kept.iter().filter(here).map(|kept| &kept["block"])
}

/// What was kept with a message, if it came from this model.
pub(super) fn kept<'a>(origin: &ModelOrigin, provider: Option<&'a Value>) -> &'a [Value] {
    let blocks = origin.fact(provider, FACT).and_then(Value::as_array);
    blocks.map(Vec::as_slice).unwrap_or_default()
}
