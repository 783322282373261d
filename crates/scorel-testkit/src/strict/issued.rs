use std::collections::HashSet;

use serde_json::Value;

use crate::ModelReply;
use crate::reply::proof;

/// Reasoning that the endpoint issued and expects back.
#[derive(Debug, Default)]
pub(super) struct IssuedReasoning {
    /// Model and call ids of the calls that came with reasoning.
    reasoned: HashSet<(String, String)>,
    /// True if signatures are taken unread: they were made by a real endpoint.
    any_proof: bool,
}

impl IssuedReasoning {
    /// For reasoning that came from elsewhere, such as from a recording.
    pub(super) fn elsewhere() -> Self {
        Self {
            any_proof: true,
            ..Self::default()
        }
    }

    /// Returns whether the conversation was held elsewhere.
    pub(super) const fn is_elsewhere(&self) -> bool {
        self.any_proof
    }

    /// Returns whether a signature is one of the model's.
    pub(super) fn accepts(&self, model: &str, signature: &Value) -> bool {
        let signature = signature.as_str().unwrap_or_default();
        signature == proof(model) || self.any_proof && !signature.is_empty()
    }

    pub(super) fn add(&mut self, model: &str, reply: &ModelReply) {
        if reply.thinking.is_none() {
            return;
        }
        for call in &reply.calls {
            self.reasoned.insert((model.to_owned(), call.id.clone()));
        }
    }

    /// Returns whether the model issued the call together with reasoning.
    pub(super) fn is_reasoned(&self, model: &str, call: &str) -> bool {
        self.reasoned.contains(&(model.to_owned(), call.to_owned()))
    }
}
