use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::agent_task::AgentTask;
use crate::{AgentEvent, AgentHistory, AgentTaskId, AgentTaskStamp, AgentTaskStatus};

/// The limit of what is told of a last event, in characters.
const DID_CHARS: usize = 200;

/// The history of each agent's runtimes, by the names of the agents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct PastAgentTasks(BTreeMap<String, Past>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Past {
    finished: u32,
    /// The time of the last event of one, and which that is.
    last: Option<(u64, AgentTaskId)>,
}

impl PastAgentTasks {
    pub(super) fn note(&mut self, agent_type: &str, stamp: &AgentTaskStamp, has_finished: bool) {
        let past = self.0.entry(agent_type.to_owned()).or_default();
        past.finished += u32::from(has_finished);
        past.last = past.last.max(Some((stamp.timestamp, stamp.runtime_id)));
    }

    pub(super) fn histories(
        &self,
        by_id: &BTreeMap<AgentTaskId, AgentTask>,
    ) -> BTreeMap<String, AgentHistory> {
        let event = |(ts, runtime_id)| {
            let runtime = by_id.get(&runtime_id)?;
            Some(AgentEvent {
                runtime_id,
                status: runtime.status,
                ts,
                summary: did(runtime),
            })
        };
        let history = |(agent_type, past): (&String, &Past)| {
            let history = AgentHistory {
                finished: past.finished,
                last_event: past.last.and_then(event),
            };
            (agent_type.clone(), history)
        };
        self.0.iter().map(history).collect()
    }
}

/// The last event of a runtime, for people.
fn did(runtime: &AgentTask) -> String {
    let what = runtime.summary.as_deref().unwrap_or(&runtime.title);
    let did = match (runtime.status, &runtime.waiting_for) {
        (AgentTaskStatus::Running, _) if runtime.summary.is_some() => what.to_owned(),
        (status, Some(question)) => format!("{status}: {}", question.tool_name),
        (status, None) => format!("{status}: {what}"),
    };
    did.chars().take(DID_CHARS).collect()
}
