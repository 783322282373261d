//! Events of runtimes, the tasks that a session gives to agents. All are in the log of that session.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentTaskId, AgentTaskStatus, BlobHash, CostTotal, EventId, PermissionRequestId, SessionId,
    TurnId, Usage,
};

/// The fields that every event of a runtime has.
///
/// `version` makes events comparable that arrive twice, late or not at all: of two, the one with the
/// greater version counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentTaskStamp {
    /// The runtime.
    pub runtime_id: AgentTaskId,
    /// Counts the runtime's events, from 1.
    pub version: u64,
    /// The status of the runtime after the event.
    pub status: AgentTaskStatus,
    /// The time of the event, in milliseconds since 1970.
    pub timestamp: u64,
}

/// The delivery of a runtime's result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ResultDelivery {
    /// The session's model gets it: in its running turn, or in a turn of its own.
    #[default]
    Turn,
    /// It stays with the runtime, for people.
    None,
}

/// Body of `runtime_spawned`. The first event of a runtime.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeSpawnedBody {
    /// The runtime, with its status.
    #[serde(flatten)]
    pub stamp: AgentTaskStamp,
    /// The agent: its name in the configuration.
    pub agent_type: String,
    /// The session in which the agent works. It may not exist yet. Everywhere else, as in `AgentTaskInfo` and
    /// the host feed, it is `sessionId`; the `sessionId` of a record is that of its own session, which gives
    /// the task.
    #[serde(rename = "childSessionId")]
    pub session_id: SessionId,
    /// True if that session has had a runtime before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
    /// The workflow for whose quota it counts; absent for none.
    pub workflow_id: Option<String>,
    /// The task in a few words.
    pub title: String,
    /// The task.
    pub prompt: String,
    /// The delivery of the result.
    pub deliver: ResultDelivery,
    /// The call of `AgentSpawn` that made it; absent if a client did.
    pub tool_call_id: Option<String>,
    /// When it was spawned, in milliseconds since 1970.
    pub started_at: u64,
}

/// Body of `runtime_bound_session`: the session of the runtime exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeBoundSessionBody {
    /// The runtime, with its status.
    #[serde(flatten)]
    pub stamp: AgentTaskStamp,
    /// The session; `sessionId` outside of records, as in `runtime_spawned`.
    #[serde(rename = "childSessionId")]
    pub session_id: SessionId,
}

/// Body of `runtime_status_changed`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeStatusChangedBody {
    /// The runtime, with its new status.
    #[serde(flatten)]
    pub stamp: AgentTaskStamp,
    /// The activity of the runtime; absent if that is unchanged.
    pub summary: Option<String>,
    /// The question that it waits for; absent if it waits for none.
    pub waiting_for: Option<AgentTaskQuestion>,
    /// True if it is being stopped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopping: bool,
}

/// A question that the session of a runtime asks. `respondPermission` answers it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentTaskQuestion {
    /// The session that asks.
    pub session_id: SessionId,
    /// The question.
    pub request_id: PermissionRequestId,
    /// The tool that it is about.
    pub tool_name: String,
}

/// Body of `runtime_queue_changed`: runtimes that wait have other places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeQueueChangedBody {
    /// The first of them, and its status.
    #[serde(flatten)]
    pub stamp: AgentTaskStamp,
    /// The agent that they wait for.
    pub agent_type: String,
    /// The place of the first of them, from 1.
    pub queue_position: u32,
    /// The number of runtimes that wait in the same queue, those of other sessions included.
    pub queued_count: u32,
    /// The others of this session: each one's place and the version of its event, which is this one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    // The schema of a pair is another one in each draft of JSON Schema.
    #[schemars(with = "BTreeMap<AgentTaskId, [u64; 2]>")]
    pub positions: BTreeMap<AgentTaskId, (u32, u64)>,
}

/// Body of `runtime_summary_updated`: a runtime does something else. Written at most every ten seconds;
/// the host feed has each change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeSummaryUpdatedBody {
    /// The runtime, with its status.
    #[serde(flatten)]
    pub stamp: AgentTaskStamp,
    /// A summary of its current activity, in at most 200 characters.
    pub summary: String,
    /// The event of the runtime's session that says so.
    pub source_event: EventId,
}

/// Body of `runtime_finished`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeFinishedBody {
    /// The runtime, with its last status.
    #[serde(flatten)]
    pub stamp: AgentTaskStamp,
    /// The same as `status`.
    pub final_status: AgentTaskStatus,
    /// When it ended, in milliseconds since 1970.
    pub ended_at: u64,
    /// Why it ended, for people.
    pub reason: String,
    /// Its result: what the agent said last, up to 16 KiB; the rest is in `lastMessageBlob`.
    pub last_message: String,
    /// The whole result, as a blob of this session; absent if `lastMessage` has it.
    pub last_message_blob: Option<BlobHash>,
    /// The resources that it took.
    pub metadata: AgentTaskMetadata,
}

/// The length limit of a runtime's summary, in characters.
pub const SUMMARY_CHARS: usize = 200;

impl RuntimeFinishedBody {
    /// The last summary of the runtime: how it ended, then its last message. `None`
    /// if it completed without a word.
    pub fn summary(&self) -> Option<String> {
        let reason = self.reason.strip_prefix("completed");
        let reason = reason.map_or(self.reason.as_str(), |note| note.trim_start_matches("; "));
        let texts = [reason, &self.last_message].into_iter();
        let texts: Vec<&str> = texts.filter(|text| !text.trim().is_empty()).collect();
        let line = texts.join(": ");
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        (!line.is_empty()).then(|| line.chars().take(SUMMARY_CHARS).collect())
    }
}

/// The resources that a runtime took.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentTaskMetadata {
    /// Its last turn; absent if it has had none.
    pub turn_id: Option<TurnId>,
    /// The tokens that its model calls used, and those of the tasks that it has given.
    pub usage: Usage,
    /// Their cost.
    pub cost: CostTotal,
    /// The number of tasks that it has given, and that these have given.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spawned: u32,
    /// The number of model calls.
    pub steps: u32,
    /// The time since it was spawned, in milliseconds.
    pub duration_ms: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(crate) const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Body of `runtime_result_delivered`: the session's model has the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeResultDeliveredBody {
    /// The runtime, with its status.
    #[serde(flatten)]
    pub stamp: AgentTaskStamp,
    /// The event that holds the result.
    pub event_id: EventId,
    /// The kind of that delivery.
    pub via: DeliveredVia,
}

/// The way by which a model got the result of a runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveredVia {
    /// As a message.
    Message,
    /// As the result of a call of `AgentStatus`.
    ToolResult,
}
