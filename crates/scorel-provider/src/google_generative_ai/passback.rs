//! The metadata stored with a reply so that each part can go back to the same model unchanged.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::ModelOrigin;

/// The names of the stored metadata.
pub(super) const SIGNED: &str = "signed";
pub(super) const PART: &str = "part";
pub(super) const CALL: &str = "call";
pub(super) const THOUGHT: &str = "thoughtSignature";

/// The byte range of a text block that arrived as one signed part, possibly empty. It goes back as a
/// part of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SignedSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) signature: String,
}

impl SignedSpan {
    /// Empty if the text came from another model.
    pub(super) fn stored(tag: Option<&Value>, origin: &ModelOrigin) -> Vec<Self> {
        let fact = origin.fact(tag, SIGNED);
        let spans = fact.and_then(|fact| Vec::deserialize(fact).ok());
        spans.unwrap_or_default()
    }
}

/// The facts that a call needs to go back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CallFacts {
    /// The id that the model issued; the engine's own id is not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) signature: Option<String>,
}

impl CallFacts {
    /// Empty if the call came from another model.
    pub(super) fn stored(tag: Option<&Value>, origin: &ModelOrigin) -> Self {
        let fact = origin.fact(tag, CALL);
        let facts = fact.and_then(|fact| Self::deserialize(fact).ok());
        facts.unwrap_or_default()
    }
}

pub(super) fn stored_part<'a>(tag: Option<&'a Value>, origin: &ModelOrigin) -> Option<&'a Value> {
    origin.fact(tag, PART)
}

pub(super) fn stored_thought<'a>(tag: Option<&'a Value>, origin: &ModelOrigin) -> Option<&'a str> {
    origin.fact(tag, THOUGHT)?.as_str()
}
