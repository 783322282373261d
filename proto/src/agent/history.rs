use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AgentTaskId, AgentTaskStatus};

/// The runtimes of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentTaskCounts {
    /// All.
    pub total: u32,
    /// Those that have not ended, or whose results were not delivered yet.
    pub open: u32,
    /// The history of each agent's, by the names of the agents.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, AgentHistory>,
}

/// The last event of an agent's runtimes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentEvent {
    /// The runtime.
    pub runtime_id: AgentTaskId,
    /// Its status since then.
    pub status: AgentTaskStatus,
    /// When it was, in milliseconds since 1970.
    pub ts: u64,
    /// A text for people: `tool call success: cargo test`, `tool error: cargo test`, `completed: …`.
    #[serde(default)]
    pub summary: String,
}

/// The history of one agent's runtimes in a session.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentHistory {
    /// The number that have ended.
    pub finished: u32,
    /// The last event of one of them.
    pub last_event: Option<AgentEvent>,
}

impl AgentHistory {
    /// Adds what the runtimes of another session did.
    pub fn add(&mut self, other: &Self) {
        self.finished = self.finished.saturating_add(other.finished);
        let ts = |event: &Option<AgentEvent>| event.as_ref().map(|event| event.ts);
        if ts(&other.last_event) > ts(&self.last_event) {
            self.last_event.clone_from(&other.last_event);
        }
    }
}
