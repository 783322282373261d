//! The counts of each agent's runtimes, and their last events.

use std::collections::BTreeMap;

use scorel_proto::{AgentHistory, AgentTaskStatus, ProjectId};

use super::Orchestrator;
use crate::agents::AgentCounts;
use crate::error::OrchestratorError;
use crate::schedule::Rules;

impl Orchestrator {
    /// The history of each agent's runtimes, in one project or in all, by the names of the agents.
    ///
    /// # Errors
    ///
    /// If the sessions cannot be read.
    pub async fn histories(
        &self,
        project_id: Option<ProjectId>,
    ) -> Result<BTreeMap<String, AgentHistory>, OrchestratorError> {
        let mut histories = self.sessions().agents(project_id).await?;
        let state = self.state();
        // The logs have what a runtime does at most every ten seconds.
        for event in histories.values_mut().flat_map(|it| &mut it.last_event) {
            let told = state.summaries.text(event.runtime_id);
            if let Some(text) = told.filter(|_| event.status == AgentTaskStatus::Running) {
                text.clone_into(&mut event.summary);
            }
        }
        Ok(histories)
    }

    /// The number of an agent's runtimes that run, wait and have ended, in one project or in all.
    pub fn counts(
        &self,
        project_id: Option<ProjectId>,
        agent_type: &str,
        histories: &BTreeMap<String, AgentHistory>,
    ) -> AgentCounts {
        let (running, queued) = self.state().schedule.counts(project_id, agent_type);
        AgentCounts {
            running,
            queued,
            history: histories.get(agent_type).cloned().unwrap_or_default(),
        }
    }

    /// Publishes how many runtimes of each agent run and wait, where that has changed.
    pub(super) async fn tell_counts(&self, rules: &Rules) {
        let _one_at_a_time = self.telling.lock().await;
        for (project_id, project) in rules {
            // If the sessions cannot be read, the next look tells it.
            let Ok(histories) = self.histories(Some(*project_id)).await else {
                return;
            };
            for (agent_type, policy) in &project.agents {
                let counts = self.counts(Some(*project_id), agent_type, &histories);
                let key = (*project_id, agent_type.clone());
                let now = (counts.running, counts.queued, counts.history.finished);
                if self.state().told.insert(key, now).unwrap_or_default() != now {
                    let info = policy.info(agent_type, counts);
                    self.sessions.host().agent_changed(Some(*project_id), info);
                }
            }
        }
    }
}
