use std::num::NonZeroU64;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::open_agent_task::OpenAgentTask;
use crate::{
    AgentTaskStamp, AgentTaskStatus, CostTotal, DeliveredVia, EventId, ResultDelivery, Seq,
    SessionId, Usage,
};

/// A runtime: a task that was given to an agent. Fields that matter only until it is settled are in
/// [`OpenAgentTask`], to which this dereferences, so that a settled runtime takes half a KiB with its
/// texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentTask {
    /// The version of the newest event.
    pub version: u64,
    /// The status of the runtime.
    pub status: AgentTaskStatus,
    /// The number of its `runtime_spawned`; `None` for a placeholder.
    pub spawned_seq: Option<Seq>,
    /// The agent; empty for a placeholder.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_type: String,
    /// The session in which the agent works.
    pub session_id: Option<SessionId>,
    /// Set if that session has had a runtime before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
    /// Set once that session exists.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bound: bool,
    /// The task in a few words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The way of the result.
    pub deliver: ResultDelivery,
    /// When it was spawned, in milliseconds since 1970.
    pub started_at: u64,
    /// When it ended, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<NonZeroU64>,
    /// Its present work; once it has ended, how it ended and its last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Box<str>>,
    /// The tokens of its model calls and of the tasks that it has given, once it has ended.
    pub usage: Usage,
    /// Their cost.
    pub cost: CostTotal,
    /// The number of its `runtime_finished`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_seq: Option<Seq>,
    /// The event that gave its result to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered: Option<EventId>,
    /// The kind of that event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_via: Option<DeliveredVia>,
    /// Set if `runtime_result_delivered` says so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub delivery_recorded: bool,
    /// Fields of unsettled runtimes; `None` if all have their defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<Box<OpenAgentTask>>,
}

impl Deref for AgentTask {
    type Target = OpenAgentTask;

    fn deref(&self) -> &OpenAgentTask {
        const NOTHING: &OpenAgentTask = &OpenAgentTask::NOTHING;
        self.open.as_deref().unwrap_or(NOTHING)
    }
}

impl AgentTask {
    /// True once nothing is left to do: it has ended, and its result was delivered if it is to be.
    pub fn is_settled(&self) -> bool {
        let delivered = match self.deliver {
            ResultDelivery::Turn => self.delivery_recorded || self.dropped,
            ResultDelivery::None => true,
        };
        self.status.is_final() && self.finished_seq.is_some() && delivered
    }

    /// Takes what an event says of the status, if the event is newer. Returns whether it is.
    pub(super) fn advance(&mut self, stamp: &AgentTaskStamp) -> bool {
        if stamp.version <= self.version {
            return false;
        }
        self.version = stamp.version;
        if !self.status.is_final() {
            self.status = stamp.status;
        }
        if let Some(open) = &mut self.open {
            open.has_become(self.status);
        }
        true
    }

    pub(super) fn open_mut(&mut self) -> &mut OpenAgentTask {
        self.open.get_or_insert_default()
    }

    /// Drops the fields that a settled runtime does not need.
    pub(super) fn settle(&mut self) {
        let open = self.open.take();
        self.open = open.and_then(|open| open.settled()).map(Box::new);
    }
}
