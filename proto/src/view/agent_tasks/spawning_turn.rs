use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{AgentTaskId, TurnId};

/// The last turn that has spawned runtimes. Only its calls may be without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SpawningTurn {
    pub(super) turn_id: TurnId,
    /// The number of runtimes that it has spawned.
    pub(super) count: u32,
    /// The newest runtime of each of its calls.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) by_call: BTreeMap<String, AgentTaskId>,
}

impl SpawningTurn {
    pub(super) const fn new(turn_id: TurnId) -> Self {
        Self {
            turn_id,
            count: 0,
            by_call: BTreeMap::new(),
        }
    }

    pub(super) fn spawned(&mut self, id: AgentTaskId, tool_call_id: Option<&str>) {
        self.count = self.count.saturating_add(1);
        if let Some(call) = tool_call_id {
            self.by_call.insert(call.to_owned(), id);
        }
    }
}
