//! Methods about runtimes, the tasks that agents were given.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentTask, AgentTaskId, AgentTaskQuestion, AgentTaskStatus, BlobHash, CommandId, CostTotal,
    ProjectId, ResultDelivery, Seq, SessionId, Usage,
};

/// Parameters of `spawnRuntime`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SpawnRuntimeParams {
    /// The session that gives the task.
    pub session_id: SessionId,
    /// The agent.
    pub agent_type: String,
    /// The task itself: at most 256 KiB.
    pub prompt: String,
    /// The task in a few words: one line, at most 1 KiB. Absent: the beginning of the prompt.
    pub title: Option<String>,
    /// The workflow for whose quota it counts.
    pub workflow_id: Option<String>,
    /// A runtime of the session that has ended: the agent goes on in its session.
    #[serde(rename = "continue")]
    pub continued: Option<AgentTaskId>,
    /// The delivery of the result; absent: it stays with the runtime.
    pub deliver: Option<ResultDelivery>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `spawnRuntime`: the task is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpawnRuntimeResult {
    /// The runtime.
    pub runtime_id: AgentTaskId,
    /// The session in which the agent will work. It exists once the runtime is bound to it.
    pub session_id: SessionId,
    /// The `seq` of the `runtime_spawned` event.
    pub seq: Seq,
}

/// A runtime: a task that a session has given to an agent.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentTaskInfo {
    /// The runtime.
    pub runtime_id: AgentTaskId,
    /// The version of its newest event.
    pub version: u64,
    /// The session that gave the task.
    pub parent_session_id: SessionId,
    /// The project of both sessions.
    pub project_id: ProjectId,
    /// The agent.
    pub agent_type: String,
    /// The session in which it works, which may not exist yet: see `bound`. The records of the session that
    /// gave the task call it `childSessionId`, because the `sessionId` of a record is that of its own
    /// session. Absent only if the record that spawned it was lost.
    pub session_id: Option<SessionId>,
    /// True once that session exists.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bound: bool,
    /// The workflow for whose quota it counts.
    pub workflow_id: Option<String>,
    /// The task in a few words.
    pub title: String,
    /// The status of the runtime.
    pub status: AgentTaskStatus,
    /// True if it is to end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopping: bool,
    /// Its place in the queue, from 1; absent if it does not wait or has none yet.
    pub queue_position: Option<u32>,
    /// The length of that queue.
    pub queued_count: Option<u32>,
    /// Its present or last activity.
    pub summary: Option<String>,
    /// The question that it waits for.
    pub waiting_for: Option<AgentTaskQuestion>,
    /// The delivery of its result.
    pub deliver: ResultDelivery,
    /// When it was spawned, in milliseconds since 1970.
    pub started_at: u64,
    /// When it ended, in milliseconds since 1970; absent until then.
    pub ended_at: Option<u64>,
    /// The tokens of its model calls, once it has ended.
    pub usage: Usage,
    /// Their cost.
    pub cost: CostTotal,
}

impl AgentTaskInfo {
    /// The runtime `runtime_id` of a session of a project.
    pub fn new(
        runtime_id: AgentTaskId,
        runtime: &AgentTask,
        (parent_session_id, project_id): (SessionId, ProjectId),
    ) -> Self {
        Self {
            runtime_id,
            version: runtime.version,
            parent_session_id,
            project_id,
            agent_type: runtime.agent_type.clone(),
            session_id: runtime.session_id,
            bound: runtime.bound,
            workflow_id: runtime.workflow_id.clone(),
            title: runtime.title.clone(),
            status: runtime.status,
            stopping: runtime.stopping,
            queue_position: runtime.position.map(|(position, _)| position),
            queued_count: runtime.position.map(|(_, count)| count),
            summary: runtime.summary.as_deref().map(str::to_owned),
            waiting_for: runtime.waiting_for.clone(),
            deliver: runtime.deliver,
            started_at: runtime.started_at,
            ended_at: runtime.ended_at.map(NonZeroU64::get),
            usage: runtime.usage,
            cost: runtime.cost,
        }
    }
}

/// Parameters of `getRuntime`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetRuntimeParams {
    /// The runtime.
    pub runtime_id: AgentTaskId,
}

/// Result of `getRuntime`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetRuntimeResult {
    /// The runtime.
    pub runtime: AgentTaskInfo,
    /// The task itself.
    pub prompt: String,
    /// Its result; absent until it has ended.
    pub result: Option<AgentTaskResult>,
}

/// The result of a runtime.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentTaskResult {
    /// Why it ended, for people.
    pub reason: String,
    /// The last message of the agent, up to 16 KiB.
    pub last_message: String,
    /// The whole of it, as a blob of the session that gave the task; absent if `lastMessage` has it.
    pub last_message_blob: Option<BlobHash>,
}

/// Parameters of `listRuntimes`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListRuntimesParams {
    /// Only those of this project.
    pub project_id: Option<ProjectId>,
    /// Only those that this session has given.
    pub session_id: Option<SessionId>,
    /// Only those of this agent.
    pub agent_type: Option<String>,
    /// Only those with this status.
    pub status: Option<AgentTaskStatus>,
    /// The most that are returned, 1 to 1000; absent: 50.
    pub limit: Option<u32>,
    /// The `nextCursor` of the previous page; absent: the first page.
    pub cursor: Option<String>,
}

/// Result of `listRuntimes`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListRuntimesResult {
    /// The runtimes, the last spawned first.
    pub runtimes: Vec<AgentTaskInfo>,
    /// The `cursor` of the next page; absent on the last page.
    pub next_cursor: Option<String>,
}

/// Parameters of `moveRuntime`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoveRuntimeParams {
    /// The runtime, which is queued.
    pub runtime_id: AgentTaskId,
    /// Its new place, from 1. A place beyond the end is the end.
    pub position: u32,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Parameters of `stopRuntime`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopRuntimeParams {
    /// The runtime.
    pub runtime_id: AgentTaskId,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `stopRuntime`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StopRuntimeResult {
    /// The `seq` of the event that says so; absent if the runtime had ended.
    pub seq: Option<Seq>,
}
