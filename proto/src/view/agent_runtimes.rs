use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    CostTotal, DeliveredVia, EventId, Message, MessageBody, OutcomeReason, PersistentBody,
    PersistentEvent, QueueItemId, QueueOp, ResultDelivery, RuntimeFinishedBody, RuntimeId,
    RuntimeQuestion, RuntimeQueueChangedBody, RuntimeSpawnedBody, RuntimeStamp, RuntimeStatus,
    RuntimeStatusChangedBody, Seq, SessionId, ToolResultMessage, TurnId, Usage,
};

/// The tool whose results hold results of runtimes; `details.delivered` of each names them.
const STATUS_TOOL: &str = "AgentStatus";

/// The runtimes of a session, folded from their events.
///
/// Events may be missing, doubled or in another order: of two events of a runtime the one with the
/// greater version counts, one of an unknown runtime makes a placeholder, and a status that is final
/// stays. So every reader that has the last event of a runtime knows what has become of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentRuntimes {
    by_id: BTreeMap<RuntimeId, AgentRuntime>,
    /// Those for which something is still to be done.
    unsettled: BTreeSet<RuntimeId>,
    /// The last turn that has spawned one, and how many it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    spawned_in: Option<(TurnId, u32)>,
    /// What those that have ended cost.
    cost: CostTotal,
}

/// A runtime: a task that was given to an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentRuntime {
    /// The version of the newest event.
    pub version: u64,
    /// What has become of it.
    pub status: RuntimeStatus,
    /// The number of its `runtime_spawned`; `None` for a placeholder.
    pub spawned_seq: Option<Seq>,
    /// The agent; empty for a placeholder.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_type: String,
    /// The session in which the agent works.
    pub session_id: Option<SessionId>,
    /// Whether that session has had a runtime before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
    /// Whether that session exists.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bound: bool,
    /// The workflow for whose quota it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<String>,
    /// The task in a few words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What becomes of the result.
    pub deliver: ResultDelivery,
    /// The turn that spawned it; `None` if a client did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The call that spawned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// When it was spawned, in milliseconds since 1970.
    pub started_at: u64,
    /// When it ended, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<u64>,
    /// Its place in the queue, from 1, and how many wait there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<(u32, u32)>,
    /// What it does, or did last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The question that it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<RuntimeQuestion>,
    /// Whether it is to end: it is being stopped, or the turn that spawned it was cancelled.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopping: bool,
    /// What its model calls used, once it has ended.
    pub usage: Usage,
    /// What these cost.
    pub cost: CostTotal,
    /// The number of its `runtime_finished`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_seq: Option<Seq>,
    /// The message of the queue that holds its result, or held it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<QueueItemId>,
    /// Whether a client has removed that message from the queue.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dropped: bool,
    /// The event that gave its result to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered: Option<EventId>,
    /// What that event is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_via: Option<DeliveredVia>,
    /// Whether `runtime_result_delivered` says so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub delivery_recorded: bool,
}

impl AgentRuntime {
    /// Whether it has ended, and its result was delivered if it is to be: nothing is left to do.
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        let delivered = match self.deliver {
            ResultDelivery::Turn => self.delivery_recorded || self.dropped,
            ResultDelivery::None => true,
        };
        self.status.is_final() && self.finished_seq.is_some() && delivered
    }

    /// Takes what an event says of the status, if the event is newer. Returns whether it is.
    fn advance(&mut self, stamp: &RuntimeStamp) -> bool {
        if stamp.version <= self.version {
            return false;
        }
        self.version = stamp.version;
        if !self.status.is_final() {
            self.status = stamp.status;
        }
        if self.status != RuntimeStatus::Queued {
            self.position = None;
        }
        if self.status != RuntimeStatus::WaitingInput {
            self.waiting_for = None;
        }
        true
    }
}

impl AgentRuntimes {
    /// The runtime with this id.
    #[must_use]
    pub fn get(&self, id: RuntimeId) -> Option<&AgentRuntime> {
        self.by_id.get(&id)
    }

    /// All, by their ids.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (RuntimeId, &AgentRuntime)> {
        self.by_id.iter().map(|(id, runtime)| (*id, runtime))
    }

    /// Those that have not ended, or whose results were not delivered.
    pub fn unsettled(&self) -> impl Iterator<Item = (RuntimeId, &AgentRuntime)> {
        self.unsettled
            .iter()
            .filter_map(|id| Some((*id, self.by_id.get(id)?)))
    }

    /// Those that have not ended.
    pub fn unfinished(&self) -> impl Iterator<Item = (RuntimeId, &AgentRuntime)> {
        self.unsettled()
            .filter(|(_, runtime)| !runtime.status.is_final())
    }

    /// Whether nothing is left to do for any.
    #[must_use]
    pub fn are_settled(&self) -> bool {
        self.unsettled.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// How many a turn has spawned.
    #[must_use]
    pub fn spawned_in(&self, turn_id: TurnId) -> u32 {
        match self.spawned_in {
            Some((last, count)) if last == turn_id => count,
            _ => 0,
        }
    }

    /// What those that have ended cost.
    #[must_use]
    pub const fn cost(&self) -> CostTotal {
        self.cost
    }

    /// The runtime that a call of `AgentSpawn` has made.
    #[must_use]
    pub fn spawned_by(&self, turn_id: TurnId, tool_call_id: &str) -> Option<RuntimeId> {
        let is_it = |runtime: &&AgentRuntime| {
            runtime.turn_id == Some(turn_id)
                && runtime.tool_call_id.as_deref() == Some(tool_call_id)
        };
        // From the newest: the turn is the session's last.
        let mut newest = self.by_id.iter().rev();
        newest
            .find(|(_, runtime)| is_it(runtime))
            .map(|(id, _)| *id)
    }

    /// The version of the next event of a runtime.
    #[must_use]
    pub fn next_version(&self, id: RuntimeId) -> u64 {
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
            }
            PersistentBody::RuntimeStatusChanged(body) => self.status_changed(body),
            PersistentBody::RuntimeQueueChanged(body) => self.queue_changed(body),
            PersistentBody::RuntimeSummaryUpdated(body) => {
                let (runtime, is_newer) = self.advance(&body.stamp);
                if is_newer {
                    runtime.summary = Some(body.summary.clone());
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
    fn advance(&mut self, stamp: &RuntimeStamp) -> (&mut AgentRuntime, bool) {
        let id = stamp.runtime_id;
        if !self.by_id.contains_key(&id) {
            self.unsettled.insert(id);
        }
        let runtime = self.by_id.entry(id).or_default();
        let is_newer = runtime.advance(stamp);
        (runtime, is_newer)
    }

    fn settle(&mut self, id: RuntimeId) {
        if self.by_id.get(&id).is_some_and(AgentRuntime::is_settled) {
            self.unsettled.remove(&id);
        }
    }

    /// What is told at the beginning is taken from a late event too.
    fn spawned(&mut self, event: &PersistentEvent, body: &RuntimeSpawnedBody) {
        let (runtime, _) = self.advance(&body.stamp);
        if runtime.spawned_seq.is_some() {
            return;
        }
        runtime.spawned_seq = Some(event.seq);
        runtime.agent_type.clone_from(&body.agent_type);
        runtime.session_id = Some(body.session_id);
        runtime.continued = body.continued;
        runtime.workflow_id.clone_from(&body.workflow_id);
        runtime.title.clone_from(&body.title);
        runtime.deliver = body.deliver;
        runtime.turn_id = event.turn_id;
        runtime.tool_call_id.clone_from(&body.tool_call_id);
        runtime.started_at = body.started_at;
        if let Some(turn_id) = event.turn_id {
            let count = self.spawned_in(turn_id) + 1;
            self.spawned_in = Some((turn_id, count));
        }
        self.settle(body.stamp.runtime_id);
    }

    fn status_changed(&mut self, body: &RuntimeStatusChangedBody) {
        let (runtime, is_newer) = self.advance(&body.stamp);
        if !is_newer {
            return;
        }
        // A runtime that is to end never stops having to.
        runtime.stopping |= body.stopping;
        if let Some(summary) = &body.summary {
            runtime.summary = Some(summary.clone());
        }
        if runtime.status == RuntimeStatus::WaitingInput {
            runtime.waiting_for.clone_from(&body.waiting_for);
        }
    }

    fn queue_changed(&mut self, body: &RuntimeQueueChangedBody) {
        let first = (
            body.stamp.runtime_id,
            (body.queue_position, body.stamp.version),
        );
        let others = body.positions.iter().map(|(id, place)| (*id, *place));
        for (runtime_id, (position, version)) in std::iter::once(first).chain(others) {
            let stamp = RuntimeStamp {
                runtime_id,
                version,
                status: RuntimeStatus::Queued,
                timestamp: body.stamp.timestamp,
            };
            let (runtime, is_newer) = self.advance(&stamp);
            if is_newer && runtime.status == RuntimeStatus::Queued {
                runtime.position = Some((position, body.queued_count));
            }
        }
    }

    fn finished(&mut self, seq: Seq, body: &RuntimeFinishedBody) {
        let (runtime, _) = self.advance(&body.stamp);
        if runtime.finished_seq.is_some() {
            return;
        }
        runtime.finished_seq = Some(seq);
        runtime.ended_at = Some(body.ended_at);
        runtime.usage = body.metadata.usage;
        runtime.cost = body.metadata.cost;
        runtime.stopping = false;
        self.cost += body.metadata.cost;
        self.settle(body.stamp.runtime_id);
    }

    fn queue_updated(&mut self, ops: &[QueueOp]) {
        for op in ops {
            match op {
                QueueOp::Add { item, .. } => {
                    let id = item.meta.as_ref().and_then(|meta| meta.runtime_id);
                    if let Some(runtime) = id.and_then(|id| self.by_id.get_mut(&id)) {
                        runtime.offered = Some(item.queue_item_id);
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
                runtime.dropped = true;
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
    fn delivered(&mut self, event_id: EventId, via: DeliveredVia, ids: Vec<RuntimeId>) {
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
                runtime.stopping = true;
            }
        }
    }
}

/// The runtimes whose results a tool's result holds. A runner's tool of that name is another.
fn delivered_by(message: &ToolResultMessage) -> Vec<RuntimeId> {
    if message.tool_name != STATUS_TOOL || message.meta.runner.is_some() {
        return Vec::new();
    }
    let details = message.result().details.as_ref();
    let delivered = details.and_then(|details| details.get("delivered")?.as_array());
    let ids = delivered.into_iter().flatten();
    ids.filter_map(|id| id.as_str()?.parse().ok()).collect()
}
