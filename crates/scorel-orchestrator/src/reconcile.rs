//! One look at the runtimes of a session: for each, the next step that its fold asks for.

use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{AgentTask, AgentTaskId, AgentTaskStatus, Seq, SessionId};
use scorel_session::{Lane, Section, SessionError};
use tokio::time::Instant;

use crate::agent_task_step::AgentTaskStep;
use crate::due::RETRY;
use crate::orchestrator::Orchestrator;
use crate::records::{AgentTaskPlaces, place};
use crate::schedule::{Rules, Task};
use crate::task_lane::TaskLane as _;

/// How often the places of a session's runtimes are recorded at most.
const PLACED_EVERY: Duration = Duration::from_secs(1);

/// How soon a session with queued tasks is reconciled without an event: the orchestrator is not notified
/// when a quota is edited in the configuration file.
const WAITING: Duration = Duration::from_secs(10);

impl Orchestrator {
    /// Takes the next steps of a session's runtimes.
    pub(crate) async fn reconcile(&self, parent: SessionId) {
        let lane = match self.sessions().get(parent).await {
            Ok(lane) => lane,
            Err(SessionError::NotFound(_)) => return self.state().schedule.forget(parent),
            Err(error) => {
                tracing::warn!(session = %parent, %error, "the runtimes of a session wait");
                return self.look_at_later(parent, RETRY);
            }
        };
        let (seq, unsettled) = lane.unsettled_runtimes();
        if self.is_done_with(parent, unsettled.is_empty()) {
            return;
        }
        if !lane.can_change() {
            return self.leave_as_it_is(&lane, seq, &unsettled);
        }
        self.refresh(parent, seq, tasks(&lane, &unsettled));
        for (id, _) in unsettled {
            let step = AgentTaskStep {
                orchestrator: self,
                lane: &lane,
                id,
            };
            if let Err(error) = step.take().await {
                tracing::warn!(session = %parent, runtime = %id, %error, "a runtime waits");
                self.look_at_later(parent, RETRY);
            }
        }
        // Read once for both: each look at the configuration is one at its files.
        let rules = self.rules().await;
        self.admit(&rules).await;
        self.record_places(&lane, &rules).await;
        let is_queued = |runtime: &AgentTask| runtime.status == AgentTaskStatus::Queued;
        if lane.runtimes(|all| all.unfinished().any(|(_, runtime)| is_queued(runtime))) {
            self.look_at_later(parent, WAITING);
        }
    }

    /// Returns whether a session has nothing left to do, and no look before this one thought otherwise. A spawn may
    /// have told the schedule of a runtime that had ended already.
    fn is_done_with(&self, parent: SessionId, is_settled: bool) -> bool {
        let was_watched = self.watch(parent, !is_settled);
        is_settled && !was_watched && !self.state().schedule.has_of(parent)
    }

    /// A damaged or failed session starts nothing until it is repaired. Its queued runtimes leave the
    /// schedule, so that they block no others; running ones still count.
    fn leave_as_it_is(&self, lane: &Lane, seq: Seq, unsettled: &[(AgentTaskId, AgentTask)]) {
        let mut tasks = tasks(lane, unsettled);
        tasks.retain(|(_, task)| task.status != AgentTaskStatus::Queued);
        self.refresh(lane.id(), seq, tasks);
        self.look_at_later(lane.id(), WAITING);
    }

    /// At once for the first change, then at most every second.
    async fn record_places(&self, lane: &Arc<Lane>, rules: &Rules) {
        let parent = lane.id();
        let moved = self.places_of(parent, rules);
        let is_other = |places: &AgentTaskPlaces| {
            lane.runtimes(|all| {
                places.places.iter().any(|(id, place)| {
                    let known = all.get(*id).and_then(|runtime| runtime.position);
                    known != Some((*place, places.queued))
                })
            })
        };
        let moved: Vec<_> = moved.into_iter().filter(is_other).collect();
        if moved.is_empty() {
            return;
        }
        let now = Instant::now();
        let last = self.state().placed.get(&parent).copied();
        let wait = last.and_then(|last| PLACED_EVERY.checked_sub(now.duration_since(last)));
        if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
            return self.look_at_later(parent, wait);
        }
        self.state().placed.insert(parent, now);
        for places in moved {
            let place = move |section: &mut Section<'_>| place(section, &places, None);
            if let Err(error) = lane.persist(place).await {
                tracing::warn!(session = %parent, %error, "places were not recorded");
            }
        }
    }
}

/// What the schedule has to know of the runtimes that have not ended.
pub(crate) fn tasks(
    lane: &Lane,
    unsettled: &[(AgentTaskId, AgentTask)],
) -> Vec<(AgentTaskId, Task)> {
    let project_id = lane.project_id();
    let task = |(id, runtime): &(AgentTaskId, AgentTask)| {
        let spawned_seq = runtime.spawned_seq?;
        let task = Task {
            parent: lane.id(),
            project_id,
            agent_type: runtime.agent_type.clone(),
            workflow_id: runtime.workflow_id.clone(),
            session_id: runtime.session_id.filter(|_| runtime.bound),
            status: runtime.status,
            position: runtime.position.map(|(place, _)| place),
            started_at: runtime.started_at,
            spawned_seq,
        };
        (!runtime.status.is_final()).then_some((*id, task))
    };
    unsettled.iter().filter_map(task).collect()
}

#[cfg(test)]
mod tests;
