//! Blocks of tools that Anthropic runs itself: stored with the message, replayed at their positions.

use serde_json::{Value, json};

use crate::wire::ModelOrigin;

/// The name of the stored metadata.
const FACT: &str = "blocks";

/// An opaque block as it is stored, with the number of engine-visible blocks before it.
pub(super) fn entry(at: usize, block: Value) -> Value {
    let mut entry = json!({"at": at});
    entry["block"] = block;
    entry
}

/// The metadata that holds the entries; `None` if there are none.
pub(super) fn metadata(entries: Vec<Value>, origin: &ModelOrigin) -> Option<Value> {
    (!entries.is_empty()).then(|| origin.tag(FACT, Value::Array(entries)))
}

/// The stored blocks of a message, if it came from this model.
pub(super) fn stored<'a>(origin: &ModelOrigin, provider: Option<&'a Value>) -> &'a [Value] {
    let blocks = origin.fact(provider, FACT).and_then(Value::as_array);
    blocks.map(Vec::as_slice).unwrap_or_default()
}

/// The stored blocks directly before the engine's block `at`.
pub(super) fn stored_at(stored: &[Value], at: usize) -> impl Iterator<Item = &Value> {
    let here = move |entry: &&Value| entry["at"].as_u64() == u64::try_from(at).ok();
    stored.iter().filter(here).map(|entry| &entry["block"])
}
