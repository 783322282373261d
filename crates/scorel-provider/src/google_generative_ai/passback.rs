//! What of an answer is kept so that it can go back to the same model, each part where it was.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::wire::ModelOrigin;

/// Under which names the facts are kept.
const SIGNED: &str = "signed";
const PART: &str = "part";
const CALL: &str = "call";
const THOUGHT: &str = "thoughtSignature";

/// The bytes of a text block that came as one part with a signature. It must not be joined with
/// what stands around it; it may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SignedSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) signature: String,
}

impl SignedSpan {
    pub(super) fn tag(spans: &[Self], origin: &ModelOrigin) -> Value {
        origin.tag(SIGNED, json!(spans))
    }

    /// The spans that were kept with a text; none if it came from another model.
    pub(super) fn kept(tag: Option<&Value>, origin: &ModelOrigin) -> Vec<Self> {
        let fact = origin.fact(tag, SIGNED);
        let spans = fact.and_then(|fact| Vec::deserialize(fact).ok());
        spans.unwrap_or_default()
    }
}

/// What a call needs to go back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CallFacts {
    /// The id that the endpoint gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signature: Option<String>,
}

impl CallFacts {
    pub(super) fn tag(&self, origin: &ModelOrigin) -> Value {
        origin.tag(CALL, json!(self))
    }

    /// The facts that were kept with a call; none if it came from another model.
    pub(super) fn kept(tag: Option<&Value>, origin: &ModelOrigin) -> Self {
        let fact = origin.fact(tag, CALL);
        let facts = fact.and_then(|fact| Self::deserialize(fact).ok());
        facts.unwrap_or_default()
    }
}

/// A part that only its maker understands, as it came.
pub(super) fn tag_part(part: &Value, origin: &ModelOrigin) -> Value {
    origin.tag(PART, part.clone())
}

pub(super) fn kept_part<'a>(tag: Option<&'a Value>, origin: &ModelOrigin) -> Option<&'a Value> {
    origin.fact(tag, PART)
}

/// The signature of a part with thoughts.
pub(super) fn tag_thought(signature: &str, origin: &ModelOrigin) -> Value {
    origin.tag(THOUGHT, signature.into())
}

pub(super) fn kept_thought<'a>(tag: Option<&'a Value>, origin: &ModelOrigin) -> Option<&'a str> {
    origin.fact(tag, THOUGHT)?.as_str()
}
