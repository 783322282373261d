use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{PermissionAnswer, PermissionDecisionBody, PermissionRequestId, PersistentEvent};

/// The number of decisions that are remembered.
const MAX_ANSWERS: usize = 32;

/// The last decisions about permission requests, for clients that answer too late.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecentAnswers(VecDeque<PermissionAnswer>);

impl RecentAnswers {
    /// The decision about a request, if it is one of the last.
    pub fn get(&self, id: PermissionRequestId) -> Option<&PermissionAnswer> {
        let mut answers = self.0.iter();
        answers.find(|answer| answer.decision.request_id == id)
    }

    /// Returns whether there is no decision yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, decision: &PermissionDecisionBody, event: &PersistentEvent) {
        if self.0.len() == MAX_ANSWERS {
            self.0.pop_front();
        }
        self.0.push_back(PermissionAnswer {
            decision: decision.clone(),
            client_id: event.client_id,
            decided_at: event.ts,
        });
    }
}
