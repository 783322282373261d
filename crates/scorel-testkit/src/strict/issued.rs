use std::collections::HashSet;

use crate::ModelReply;

/// What the endpoint issued and expects back.
#[derive(Debug, Default)]
pub(super) struct IssuedReasoning {
    /// Model and call ids of the calls that came with reasoning.
    reasoned: HashSet<(String, String)>,
}

impl IssuedReasoning {
    pub(super) fn add(&mut self, model: &str, reply: &ModelReply) {
        if reply.thinking.is_none() {
            return;
        }
        for call in &reply.calls {
            self.reasoned.insert((model.to_owned(), call.id.clone()));
        }
    }

    /// Whether the model issued the call together with reasoning.
    pub(super) fn is_reasoned(&self, model: &str, call: &str) -> bool {
        self.reasoned.contains(&(model.to_owned(), call.to_owned()))
    }
}
