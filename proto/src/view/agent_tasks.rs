mod agent_task;
mod agent_tasks_use;
mod open_agent_task;
mod past_agent_tasks;
mod spawning_turn;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::{
    AgentTaskCounts, AgentTaskId, AgentTaskStamp, AgentTaskStatus, CostTotal, DeliveredVia,
    EventId, Message, MessageBody, OutcomeReason, PersistentBody, PersistentEvent, QueueItemId,
    QueueOp, RuntimeFinishedBody, RuntimeQueueChangedBody, RuntimeSpawnedBody,
    RuntimeStatusChangedBody, Seq, SessionId, ToolResultMessage, TurnId,
};

pub use agent_task::AgentTask;
pub use agent_tasks_use::AgentTasksUse;
pub use open_agent_task::OpenAgentTask;
use past_agent_tasks::PastAgentTasks;
use spawning_turn::SpawningTurn;

/// The tool whose results hold results of runtimes; `details.delivered` of each names them.
const STATUS_TOOL: &str = "AgentStatus";

/// The runtimes of a session, folded from their events.
///
/// Events may be missing, doubled or in another order: of two events of a runtime the one with the
/// greater version counts, one of an unknown runtime makes a placeholder, and a status that is final
/// stays. So every reader that has the last event of a runtime knows its status.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentTasks {
    by_id: BTreeMap<AgentTaskId, AgentTask>,
    /// Those for which something is still to be done.
    unsettled: BTreeSet<AgentTaskId>,
    /// The last turn that has spawned one.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_turn: Option<SpawningTurn>,
    /// The cost of those that have ended.
    cost: CostTotal,
    /// The history of each agent's.
    agents: PastAgentTasks,
}

impl AgentTasks {
    /// The runtime with this id.
    pub fn get(&self, id: AgentTaskId) -> Option<&AgentTask> {
        self.by_id.get(&id)
    }

    /// All, by their ids.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (AgentTaskId, &AgentTask)> {
        self.by_id.iter().map(|(id, runtime)| (*id, runtime))
    }

    /// Those that have not ended, or whose results were not delivered.
    pub fn unsettled(&self) -> impl Iterator<Item = (AgentTaskId, &AgentTask)> {
        self.unsettled
            .iter()
            .filter_map(|id| Some((*id, self.by_id.get(id)?)))
    }

    /// Those that have not ended.
    pub fn unfinished(&self) -> impl Iterator<Item = (AgentTaskId, &AgentTask)> {
        self.unsettled()
            .filter(|(_, runtime)| !runtime.status.is_final())
    }

    /// Returns whether nothing is left to do for any.
    pub fn are_settled(&self) -> bool {
        self.unsettled.is_empty()
    }

    /// The number of all runtimes, and of those with something left to do; `None` if there is none.
    pub fn counts(&self) -> Option<AgentTaskCounts> {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (!self.is_empty()).then(|| AgentTaskCounts {
            total: count(self.by_id.len()),
            open: count(self.unsettled.len()),
            agents: self.agents.histories(&self.by_id),
        })
    }

    /// Takes note of an event of a runtime whose agent is known.
    fn note(&mut self, stamp: &AgentTaskStamp, has_finished: bool) {
        let runtime = self.by_id.get(&stamp.runtime_id);
        if let Some(runtime) = runtime.filter(|runtime| runtime.spawned_seq.is_some()) {
            self.agents.note(&runtime.agent_type, stamp, has_finished);
        }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The number of runtimes that a turn has spawned.
    pub fn spawned_in(&self, turn_id: TurnId) -> u32 {
        self.turn(turn_id).map_or(0, |turn| turn.count)
    }

    fn turn(&self, turn_id: TurnId) -> Option<&SpawningTurn> {
        let last = self.last_turn.as_ref();
        last.filter(|turn| turn.turn_id == turn_id)
    }

    /// The cost of those that have ended.
    pub const fn cost(&self) -> CostTotal {
        self.cost
    }

    /// The use of those that were spawned after an event.
    pub fn used_since(&self, seq: Seq) -> AgentTasksUse {
        let spawned = self.by_id.values();
        spawned
            .filter(|runtime| runtime.spawned_seq.is_some_and(|own| own > seq))
            .collect()
    }

    /// The use of those that have worked in a session.
    pub fn used_in(&self, session_id: SessionId) -> AgentTasksUse {
        let worked = self.by_id.values();
        worked
            .filter(|runtime| runtime.session_id == Some(session_id))
            .collect()
    }

    /// The runtime that a call of `AgentSpawn` has made, if its turn is the last that has made any.
    pub fn spawned_by(&self, turn_id: TurnId, tool_call_id: &str) -> Option<AgentTaskId> {
        self.turn(turn_id)?.by_call.get(tool_call_id).copied()
    }

    /// The version of the next event of a runtime.
    pub fn next_version(&self, id: AgentTaskId) -> u64 {
        self.by_id.get(&id).map_or(0, |runtime| runtime.version) + 1
    }

    /// Folds the next event. What a clone copied happened to runtimes of another session.
    pub(super) fn fold(&mut self, event: &PersistentEvent) {
        if event.origin.is_some() {
            return;
        }
        match &event.body {
            PersistentBody::RuntimeSpawned(body) => self.spawned(event, body),
            PersistentBody::RuntimeBoundSession(body) => {
                let runtime = self.advance(&body.stamp).0;
                runtime.bound = true;
                runtime.session_id = Some(body.session_id);
                self.note(&body.stamp, false);
            }
            PersistentBody::RuntimeStatusChanged(body) => self.status_changed(body),
            PersistentBody::RuntimeQueueChanged(body) => self.queue_changed(body),
            PersistentBody::RuntimeSummaryUpdated(body) => {
                let (runtime, is_newer) = self.advance(&body.stamp);
                if is_newer {
                    runtime.summary = Some(body.summary.as_str().into());
                    self.note(&body.stamp, false);
                }
            }
            PersistentBody::RuntimeFinished(body) => self.finished(event.seq, body),
            PersistentBody::RuntimeResultDelivered(body) => {
                let runtime = self.advance(&body.stamp).0;
                runtime.delivered = Some(body.event_id);
                runtime.delivered_via = Some(body.via);
                runtime.delivery_recorded = true;
                self.settle(body.stamp.runtime_id);
            }
            PersistentBody::QueueUpdate(body) => self.queue_updated(&body.ops),
            PersistentBody::Message(body) => self.told(event.id, body),
            PersistentBody::TurnOutcome(body) => self.turn_ended(event.turn_id, body.reason),
            _ => {}
        }
    }

    /// The runtime that an event is about, with the event's status, and whether the event is the newest.
    fn advance(&mut self, stamp: &AgentTaskStamp) -> (&mut AgentTask, bool) {
        let id = stamp.runtime_id;
        if !self.by_id.contains_key(&id) {
            self.unsettled.insert(id);
        }
        let runtime = self.by_id.entry(id).or_default();
        let is_newer = runtime.advance(stamp);
        (runtime, is_newer)
    }

    fn settle(&mut self, id: AgentTaskId) {
        let settled = self.by_id.get_mut(&id);
        if let Some(runtime) = settled.filter(|runtime| runtime.is_settled()) {
            runtime.settle();
            self.unsettled.remove(&id);
        }
    }

    /// Takes the fields of the event even if it comes late.
    fn spawned(&mut self, event: &PersistentEvent, body: &RuntimeSpawnedBody) {
        let (runtime, _) = self.advance(&body.stamp);
        if runtime.spawned_seq.is_some() {
            return;
        }
        runtime.spawned_seq = Some(event.seq);
        runtime.agent_type.clone_from(&body.agent_type);
        runtime.session_id = Some(body.session_id);
        runtime.continued = body.continued;
        runtime.title.clone_from(&body.title);
        runtime.deliver = body.deliver;
        runtime.started_at = body.started_at;
        let open = runtime.open_mut();
        open.workflow_id.clone_from(&body.workflow_id);
        open.turn_id = event.turn_id;
        let has_finished = runtime.finished_seq.is_some();
        self.note(&body.stamp, has_finished);
        if let Some(turn_id) = event.turn_id {
            let last = self.last_turn.take();
            let mut turn = last
                .filter(|turn| turn.turn_id == turn_id)
                .unwrap_or_else(|| SpawningTurn::new(turn_id));
            turn.spawned(body.stamp.runtime_id, body.tool_call_id.as_deref());
            self.last_turn = Some(turn);
        }
        self.settle(body.stamp.runtime_id);
    }

    fn status_changed(&mut self, body: &RuntimeStatusChangedBody) {
        let (runtime, is_newer) = self.advance(&body.stamp);
        if !is_newer {
            return;
        }
        if let Some(summary) = &body.summary {
            runtime.summary = Some(summary.as_str().into());
        }
        if runtime.status.is_final() {
            return;
        }
        let waits = runtime.status == AgentTaskStatus::WaitingInput;
        let open = runtime.open_mut();
        // A runtime that is to end never stops having to.
        open.stopping |= body.stopping;
        open.waiting_for = body.waiting_for.clone().filter(|_| waits);
        self.note(&body.stamp, false);
    }

    fn queue_changed(&mut self, body: &RuntimeQueueChangedBody) {
        let first = (
            body.stamp.runtime_id,
            (body.queue_position, body.stamp.version),
        );
        let others = body.positions.iter().map(|(id, place)| (*id, *place));
        for (runtime_id, (position, version)) in std::iter::once(first).chain(others) {
            let stamp = AgentTaskStamp {
                runtime_id,
                version,
                status: AgentTaskStatus::Queued,
                timestamp: body.stamp.timestamp,
            };
            let (runtime, is_newer) = self.advance(&stamp);
            if is_newer && runtime.status == AgentTaskStatus::Queued {
                runtime.open_mut().position = Some((position, body.queued_count));
            }
        }
    }

    fn finished(&mut self, seq: Seq, body: &RuntimeFinishedBody) {
        let (runtime, _) = self.advance(&body.stamp);
        if runtime.finished_seq.is_some() {
            return;
        }
        runtime.finished_seq = Some(seq);
        if let Some(summary) = body.summary() {
            runtime.summary = Some(summary.into());
        }
        runtime.ended_at = NonZeroU64::new(body.ended_at);
        runtime.usage = body.metadata.usage;
        runtime.cost = body.metadata.cost;
        if body.metadata.spawned > 0 {
            runtime.open_mut().spawned = body.metadata.spawned;
        }
        self.cost += body.metadata.cost;
        self.note(&body.stamp, true);
        self.settle(body.stamp.runtime_id);
    }

    fn queue_updated(&mut self, ops: &[QueueOp]) {
        for op in ops {
            match op {
                QueueOp::Add { item, .. } => {
                    let id = item.meta.as_ref().and_then(|meta| meta.runtime_id);
                    let runtime = id.and_then(|id| self.by_id.get_mut(&id));
                    if let Some(runtime) = runtime.filter(|runtime| !runtime.is_settled()) {
                        runtime.open_mut().offered = Some(item.queue_item_id);
                    }
                }
                QueueOp::Remove { queue_item_id } => self.removed(*queue_item_id),
                _ => {}
            }
        }
    }

    fn removed(&mut self, item: QueueItemId) {
        let mut unsettled = self.unsettled();
        let holder = unsettled.find(|(_, runtime)| runtime.offered == Some(item));
        let holder = holder.map(|(id, _)| id);
        drop(unsettled);
        if let Some(id) = holder {
            if let Some(runtime) = self.by_id.get_mut(&id) {
                runtime.open_mut().dropped = true;
            }
            self.settle(id);
        }
    }

    /// A message, or the result of a call, holds the results that it names.
    fn told(&mut self, event_id: EventId, body: &MessageBody) {
        match &body.message {
            Message::User(message) => {
                let ids = message.meta.runtime_id.iter().copied();
                self.delivered(event_id, DeliveredVia::Message, ids.collect());
            }
            Message::ToolResult(message) => {
                self.delivered(event_id, DeliveredVia::ToolResult, delivered_by(message));
            }
            Message::Assistant(_) | Message::Internal(_) => {}
        }
    }

    /// The first event that holds a result counts.
    fn delivered(&mut self, event_id: EventId, via: DeliveredVia, ids: Vec<AgentTaskId>) {
        for id in ids {
            if let Some(runtime) = self.by_id.get_mut(&id)
                && runtime.delivered.is_none()
            {
                runtime.delivered = Some(event_id);
                runtime.delivered_via = Some(via);
            }
        }
    }

    fn turn_ended(&mut self, turn_id: Option<TurnId>, reason: OutcomeReason) {
        if reason != OutcomeReason::Cancelled || turn_id.is_none() {
            return;
        }
        for id in &self.unsettled {
            if let Some(runtime) = self.by_id.get_mut(id)
                && runtime.turn_id == turn_id
                && !runtime.status.is_final()
            {
                runtime.open_mut().stopping = true;
            }
        }
    }
}

/// The runtimes whose results a tool's result holds. Tools of a runner's own have no details.
fn delivered_by(message: &ToolResultMessage) -> Vec<AgentTaskId> {
    if message.tool_name != STATUS_TOOL {
        return Vec::new();
    }
    let details = message.result().details.as_ref();
    let delivered = details.and_then(|details| details.get("delivered")?.as_array());
    let ids = delivered.into_iter().flatten();
    ids.filter_map(|id| id.as_str()?.parse().ok()).collect()
}
