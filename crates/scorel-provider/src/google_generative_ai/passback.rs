//! The metadata stored with a reply so that each part can go back to the same model unchanged.

use serde::de::DeserializeOwned;
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

/// The facts that a call needs to go back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CallFacts {
    /// The id that the model issued; the engine's own id is not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) signature: Option<String>,
}

/// A fact that this model left with a block; the default if there is none.
pub(super) fn stored<T: DeserializeOwned + Default>(
    origin: &ModelOrigin,
    tag: Option<&Value>,
    name: &str,
) -> T {
    let fact = origin.fact(tag, name);
    let fact = fact.and_then(|fact| T::deserialize(fact).ok());
    fact.unwrap_or_default()
}
