//! The graph of sessions and the tasks that they gave to agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AgentTaskQuestion, AgentTaskStatus, SessionId, Usage};

/// Parameters of `getGraph`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetGraphParams {
    /// The session at its root.
    pub session_id: SessionId,
    /// The most ended runtimes to return: those that ended last, and those above a
    /// runtime that is returned. Absent: all.
    pub ended: Option<u32>,
}

/// Result of `getGraph`: a session, what it has given to agents, and what these have given on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentTaskGraph {
    /// The session, then the runtimes in the order in which they were spawned.
    pub nodes: Vec<GraphNode>,
    /// The tasks, from the node that spawned one to the node that works on it.
    pub edges: Vec<GraphEdge>,
}

/// A node of a graph.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphNode {
    /// The id of the runtime, or of the session at the root.
    pub id: String,
    /// Of two states of the node, such as this one and that of a `runtime_changed`, the one with the greater
    /// version is the newer: a runtime's `version`, or the root's `lastPersistentSeq`.
    pub version: u64,
    /// Its kind.
    pub kind: GraphNodeKind,
    /// The session; that of a queued runtime may not exist yet.
    pub session_id: Option<SessionId>,
    /// The agent of a runtime.
    pub agent_type: Option<String>,
    /// The status of the node. The root is `running`, `waiting_input`, `failed` if it cannot go on, or
    /// `completed` when it is idle.
    pub status: AgentTaskStatus,
    /// The place of a runtime in its queue, from 1.
    pub queue_position: Option<u32>,
    /// The title of the task, or of the session at the root.
    #[serde(default)]
    pub title: String,
    /// Its present work; once it has ended, how it ended and its last message. The title if it has said nothing.
    pub summary: String,
    /// When it began, in milliseconds since 1970.
    pub started_at: u64,
    /// When it ended, in milliseconds since 1970.
    pub ended_at: Option<u64>,
    /// The tokens of the root, or of a runtime that has ended.
    pub usage: Option<Usage>,
    /// The question that it waits for.
    pub waiting_for: Option<AgentTaskQuestion>,
}

/// The kind of a node of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphNodeKind {
    /// The session at the root.
    Orchestrator,
    /// A runtime.
    Runtime,
}

/// An edge of a graph.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphEdge {
    /// The node that gave the task.
    pub from: String,
    /// The node that has it.
    pub to: String,
    /// The meaning of the edge.
    pub kind: GraphEdgeKind,
    /// The task, which is the runtime's id.
    pub task_id: Option<String>,
    /// The workflow for whose quota it counts.
    pub workflow_id: Option<String>,
}

/// The meaning of an edge of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphEdgeKind {
    /// One gave the other its task.
    SpawnedBy,
}
