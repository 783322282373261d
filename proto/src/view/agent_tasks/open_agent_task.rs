use serde::{Deserialize, Serialize};

use crate::event::is_zero;
use crate::{AgentTaskQuestion, AgentTaskStatus, QueueItemId, TurnId};

/// The fields of a runtime that matter until it is settled, and rare ones.
///
/// A long-lived session has thousands of settled runtimes, so most of these are dropped then.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OpenAgentTask {
    /// The workflow for whose quota it counts. It stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<String>,
    /// The turn that spawned it; `None` if a client did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Its place in the queue, from 1, and how many wait there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<(u32, u32)>,
    /// The question that it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<AgentTaskQuestion>,
    /// True if it is to end: it is being stopped, or the turn that spawned it was cancelled.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopping: bool,
    /// The message of the queue that holds its result, or held it. It stays if it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<QueueItemId>,
    /// True if a client has removed that message from the queue. It stays.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dropped: bool,
    /// The number of tasks that it has given, and that these have given, once it has ended. It stays.
    #[serde(skip_serializing_if = "is_zero")]
    pub spawned: u32,
}

impl OpenAgentTask {
    /// All defaults.
    pub(super) const NOTHING: Self = Self {
        workflow_id: None,
        turn_id: None,
        position: None,
        waiting_for: None,
        stopping: false,
        offered: None,
        dropped: false,
        spawned: 0,
    };

    /// Clears the fields that belong to another status.
    pub(super) fn has_become(&mut self, status: AgentTaskStatus) {
        if status != AgentTaskStatus::Queued {
            self.position = None;
        }
        if status != AgentTaskStatus::WaitingInput {
            self.waiting_for = None;
        }
        if status.is_final() {
            self.stopping = false;
        }
    }

    /// The fields that are kept once the runtime is settled; `None` if all have their defaults. A result
    /// that was removed from the queue must not look like one that was never offered.
    pub(super) fn settled(self) -> Option<Self> {
        let stays = Self {
            workflow_id: self.workflow_id,
            offered: self.offered.filter(|_| self.dropped),
            dropped: self.dropped,
            spawned: self.spawned,
            ..Self::NOTHING
        };
        (stays != Self::NOTHING).then_some(stays)
    }
}
