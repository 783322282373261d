//! Agents: which there are, how many may run, and what they were given to do.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentRuntime, CommandId, CostTotal, ProjectId, ResultDelivery, RuntimeId, RuntimeQuestion,
    RuntimeStatus, Seq, SessionId, ThinkingLevel, ToolPreset, Usage,
};

/// Parameters of `listAgents`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListAgentsParams {
    /// The project whose quotas and runtimes are told. Absent: all projects, and the agents' own quotas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
}

/// Result of `listAgents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListAgentsResult {
    /// The agents of the configuration, by name.
    pub agents: Vec<AgentInfo>,
}

/// An agent: its configuration, and what it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// Its name in the configuration.
    pub agent_type: String,
    /// Its configuration.
    pub config: AgentConfig,
    /// How many of its runtimes run, or wait for a person.
    pub running: u32,
    /// How many wait until it may run one more.
    pub queued: u32,
    /// How many may run at once.
    pub quota: EffectiveQuota,
    /// How many have ended since the daemon started.
    pub finished: u32,
    /// What the last change of one of them was; absent if there was none since the daemon started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event: Option<AgentEvent>,
}

/// The configuration of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentConfig {
    /// The name to show.
    pub display_name: String,
    /// What it is for, for the model that gives it tasks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What it can do, in a word or two each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// What runs its turns: the name of a runner, or `scorel` for the daemon's own engine.
    pub runner: String,
    /// Its model; absent: the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How much the model reasons; absent: as configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
    /// The tools that the model is offered; absent: as configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolPreset>,
    /// What it is told besides its task; absent for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The files that it works on.
    pub workspace: AgentWorkspace,
    /// How many may run at once where no policy of a project says otherwise.
    pub default_quota: u32,
    /// Whether it takes tasks.
    pub enabled: bool,
}

/// The files that an agent works on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentWorkspace {
    /// Those of the project, which other sessions change too.
    #[default]
    Shared,
    /// A git worktree of its own, on a branch of its own.
    Worktree,
}

/// How many runtimes of an agent may run at once, and what says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EffectiveQuota {
    /// The number. 0: none begins.
    pub effective: u32,
    /// What says so.
    pub source: QuotaSource,
}

/// What decides how many runtimes of an agent may run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaSource {
    /// The project's policy for a workflow.
    Workflow,
    /// The project's policy.
    Project,
    /// The agent's configuration.
    Default,
    /// The project's policy runs them one after the other.
    Serial,
}

/// A change of one of an agent's runtimes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentEvent {
    /// The runtime.
    pub runtime_id: RuntimeId,
    /// Its status since then.
    pub status: RuntimeStatus,
    /// When it was, in milliseconds since 1970.
    pub ts: u64,
}

/// How many runtimes of an agent may run at once in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaPolicy {
    /// The number for the whole project; absent: the agent's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<u32>,
    /// The numbers for workflows, by their ids. Each has a queue of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub workflow: BTreeMap<String, u32>,
    /// Whether more than one may run at all.
    #[serde(default)]
    pub strategy: QuotaStrategy,
}

impl QuotaPolicy {
    /// How many runtimes of an agent may run at once: `workflow ?? project ?? default`, and no more than
    /// one if they are serial.
    #[must_use]
    pub fn effective(&self, default: u32, workflow_id: Option<&str>) -> EffectiveQuota {
        let workflow = workflow_id.and_then(|id| self.workflow.get(id).copied());
        let (effective, source) = match (workflow, self.project) {
            (Some(number), _) => (number, QuotaSource::Workflow),
            (None, Some(number)) => (number, QuotaSource::Project),
            (None, None) => (default, QuotaSource::Default),
        };
        match self.strategy {
            QuotaStrategy::Serial if effective > 1 => EffectiveQuota {
                effective: 1,
                source: QuotaSource::Serial,
            },
            _ => EffectiveQuota { effective, source },
        }
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether several runtimes of an agent may run at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaStrategy {
    /// One after the other, whatever the numbers are.
    Serial,
    /// As many as the numbers allow.
    #[default]
    Concurrent,
}

/// Parameters of `setAgent`. Absent fields are unchanged; an agent that is not configured is added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetAgentParams {
    /// The agent's name in the configuration: letters, digits, `-` and `_`.
    pub agent_type: String,
    /// The name to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    /// What runs its turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// Its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How much the model reasons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
    /// The tools that the model is offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolPreset>,
    /// What it is told besides its task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The files that it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<AgentWorkspace>,
    /// How many may run at once where no policy says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_quota: Option<u32>,
    /// Whether it takes tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Result of `setAgent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetAgentResult {
    /// The agent after the change.
    pub agent: AgentInfo,
}

/// Parameters of `setQuota`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetQuotaParams {
    /// The project.
    pub project_id: ProjectId,
    /// The agent.
    pub agent_type: String,
    /// The whole policy; it replaces the one before. An empty one removes it.
    pub policy: QuotaPolicy,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Result of `setQuota`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetQuotaResult {
    /// The agent in that project after the change.
    pub agent: AgentInfo,
}

/// Parameters of `openOrchestrator`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenOrchestratorParams {
    /// The project.
    pub project_id: ProjectId,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Parameters of `spawnRuntime`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SpawnRuntimeParams {
    /// The session that gives the task.
    pub session_id: SessionId,
    /// The agent.
    pub agent_type: String,
    /// What it is told to do: at most 256 KiB.
    pub prompt: String,
    /// The task in a few words: one line, at most 1 KiB. Absent: the beginning of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The workflow for whose quota it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<String>,
    /// A runtime of the session that has ended: the agent goes on in its session.
    #[serde(default, rename = "continue", skip_serializing_if = "Option::is_none")]
    pub continued: Option<RuntimeId>,
    /// What becomes of the result; absent: it stays with the runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deliver: Option<ResultDelivery>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Result of `spawnRuntime`: the task is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpawnRuntimeResult {
    /// The runtime.
    pub runtime_id: RuntimeId,
    /// The session in which the agent will work. It exists once the runtime is bound to it.
    pub session_id: SessionId,
    /// The `seq` of the `runtime_spawned` event.
    pub seq: Seq,
}

/// A runtime: a task that a session has given to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeInfo {
    /// The runtime.
    pub runtime_id: RuntimeId,
    /// The version of its newest event.
    pub version: u64,
    /// The session that gave the task.
    pub parent_session_id: SessionId,
    /// The project of both sessions.
    pub project_id: ProjectId,
    /// The agent.
    pub agent_type: String,
    /// The session in which it works; absent until it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The workflow for whose quota it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<String>,
    /// The task in a few words.
    pub title: String,
    /// What has become of it.
    pub status: RuntimeStatus,
    /// Whether it is to end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopping: bool,
    /// Its place in the queue, from 1; absent if it does not wait or has none yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_position: Option<u32>,
    /// How many wait in that queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued_count: Option<u32>,
    /// What it does, or did last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The question that it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<RuntimeQuestion>,
    /// What becomes of its result.
    pub deliver: ResultDelivery,
    /// When it was spawned, in milliseconds since 1970.
    pub started_at: u64,
    /// When it ended, in milliseconds since 1970; absent until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<u64>,
    /// What its model calls used, once it has ended.
    pub usage: Usage,
    /// What these cost.
    pub cost: CostTotal,
}

impl RuntimeInfo {
    /// The runtime `runtime_id` of a session of a project.
    #[must_use]
    pub fn new(
        runtime_id: RuntimeId,
        runtime: &AgentRuntime,
        (parent_session_id, project_id): (SessionId, ProjectId),
    ) -> Self {
        Self {
            runtime_id,
            version: runtime.version,
            parent_session_id,
            project_id,
            agent_type: runtime.agent_type.clone(),
            session_id: runtime.session_id.filter(|_| runtime.bound),
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
    pub runtime_id: RuntimeId,
}

/// Result of `getRuntime`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetRuntimeResult {
    /// The runtime.
    pub runtime: RuntimeInfo,
    /// What it was told to do.
    pub prompt: String,
    /// Its result; absent until it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<RuntimeResult>,
}

/// What came of a runtime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeResult {
    /// Why it ended, for people.
    pub reason: String,
    /// What the agent said last, up to 16 KiB.
    pub last_message: String,
    /// The whole of it, as a blob of the session that gave the task; absent if `lastMessage` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message_blob: Option<crate::BlobHash>,
}

/// Parameters of `listRuntimes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListRuntimesParams {
    /// Only those of this project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// Only those that this session has given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Only those of this agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// Only those with this status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<RuntimeStatus>,
    /// How many at most, 1 to 1000; absent: 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Result of `listRuntimes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListRuntimesResult {
    /// The runtimes, the last spawned first.
    pub runtimes: Vec<RuntimeInfo>,
    /// Whether there are more.
    pub more: bool,
}

/// Parameters of `moveRuntime`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoveRuntimeParams {
    /// The runtime, which is queued.
    pub runtime_id: RuntimeId,
    /// Its new place, from 1. A place beyond the end is the end.
    pub position: u32,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Parameters of `stopRuntime`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopRuntimeParams {
    /// The runtime.
    pub runtime_id: RuntimeId,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Result of `stopRuntime`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StopRuntimeResult {
    /// The `seq` of the event that says so; absent if the runtime had ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
}

/// Parameters of `getGraph`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetGraphParams {
    /// The session at its root.
    pub session_id: SessionId,
}

/// Result of `getGraph`: a session, what it has given to agents, and what these have given on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeGraph {
    /// Changes with every change of a node.
    pub version: u64,
    /// The session, then the runtimes in the order in which they were spawned.
    pub nodes: Vec<GraphNode>,
    /// Who spawned whom.
    pub edges: Vec<GraphEdge>,
}

/// A node of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphNode {
    /// The id of the runtime, or of the session at the root.
    pub id: String,
    /// What it is.
    pub kind: GraphNodeKind,
    /// The session; absent for a runtime whose session does not exist yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The agent of a runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// What has become of it. The root is `running`, `waiting_input`, or `completed` when it is idle.
    pub status: RuntimeStatus,
    /// The place of a runtime in its queue, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_position: Option<u32>,
    /// What it does; the title if it has said nothing.
    pub summary: String,
    /// When it began, in milliseconds since 1970.
    pub started_at: u64,
    /// When it ended, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<u64>,
    /// The tokens of the root, or of a runtime that has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The question that it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<RuntimeQuestion>,
}

/// What a node of a graph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphNodeKind {
    /// The session at the root.
    Orchestrator,
    /// A runtime.
    Runtime,
}

/// An edge of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphEdge {
    /// The node that gave the task.
    pub from: String,
    /// The node that has it.
    pub to: String,
    /// What the edge means.
    pub kind: GraphEdgeKind,
    /// The workflow for whose quota it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<String>,
}

/// What an edge of a graph means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphEdgeKind {
    /// One gave the other its task.
    SpawnedBy,
}

/// Parameters of `listWorktrees`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListWorktreesParams {
    /// Only those of this project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
}

/// Result of `listWorktrees`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListWorktreesResult {
    /// The worktrees, the oldest first.
    pub worktrees: Vec<WorktreeInfo>,
}

/// A git worktree that an agent works in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeInfo {
    /// The runtime for which it was made.
    pub runtime_id: RuntimeId,
    /// The session that works in it; absent if it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The project whose repository it belongs to.
    pub project_id: ProjectId,
    /// Where it is, absolute.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// Whether it has changes that are not committed; absent if git does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
}

/// Parameters of `removeWorktree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoveWorktreeParams {
    /// The runtime for which it was made.
    pub runtime_id: RuntimeId,
    /// Whether changes that are not committed are lost. Absent: no; the call is refused if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Result of `removeWorktree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoveWorktreeResult {
    /// The branch, which stays.
    pub branch: String,
}
