use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CommandId, EventId, Phase, ProjectId, QueueItem, Seq, SessionId, ThinkingLevel, ToolPreset,
    TurnId, Usage,
};

/// A session as listings and snapshots show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The session.
    pub session_id: SessionId,
    /// Its project.
    pub project_id: ProjectId,
    /// What made it.
    pub kind: SessionKind,
    /// The session it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionParent>,
    /// Its title, or the beginning of its first message; `null` while it has neither.
    pub title: Option<String>,
    /// The model it uses, as it was named; `null` if it follows the configuration.
    pub model: Option<String>,
    /// How much the model thinks.
    pub thinking_level: ThinkingLevel,
    /// Which tools the model is offered; absent if the session follows the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolPreset>,
    /// What it is doing.
    pub phase: Phase,
    /// The turn that is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The event that the next message follows.
    pub active_leaf_id: Option<EventId>,
    /// The number of the last event.
    pub current_seq: Seq,
    /// The number of the last persistent event.
    pub last_persistent_seq: Seq,
    /// The messages that wait, first to run first.
    pub queue: Vec<QueueItem>,
    /// A number that changes whenever the queue changes.
    pub queue_version: u64,
    /// Whether the queue waits for a new message or for `resume`.
    pub queue_paused: bool,
    /// What all model calls of the session have used.
    pub usage: Usage,
    /// When it was made, in milliseconds since 1970.
    pub created_at: u64,
    /// When its log last grew, in milliseconds since 1970.
    pub updated_at: u64,
    /// Whether it is put away.
    pub archived: bool,
    /// What is wrong with it, if it cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What made a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// A person.
    #[default]
    User,
    /// Another session's agent.
    Subagent,
    /// An external command line agent.
    Runner,
    /// A workflow.
    Workflow,
    /// Something that this version does not know.
    #[serde(other)]
    Other,
}

/// The session that another session came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionParent {
    /// The session.
    pub session_id: SessionId,
    /// The event at which it was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The task for which it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

/// The parameters of `createSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateSessionParams {
    /// The project it belongs to, for life.
    pub project_id: ProjectId,
    /// A title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A model, by its id at the configured provider or as `provider:id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How much the model should think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
    /// Which tools the model should be offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolPreset>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The result of `createSession` and `cloneSession`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateSessionResult {
    /// The new session's id.
    pub session_id: SessionId,
    /// The new session.
    pub session: Session,
}

/// The parameters of `getSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetSessionParams {
    /// The session.
    pub session_id: SessionId,
}

/// The result of `getSession`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GetSessionResult {
    /// The session.
    pub session: Session,
}

/// The parameters of `listSessions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListSessionsParams {
    /// Only sessions of this project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// Only sessions of this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<SessionKind>,
    /// Only sessions that are put away, or only the others; the others if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// How many at most, 1 to 1,000; 50 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Where the page before ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The result of `listSessions`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListSessionsResult {
    /// The sessions, the one that changed last first.
    pub sessions: Vec<Session>,
    /// Sessions whose logs do not say what they are, behind all others. They count for `limit`, and
    /// are in every listing but that of the sessions that are put away: their project and their
    /// kind are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadableSession>,
    /// Where the next page begins; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A session of which no more can be told than what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnreadableSession {
    /// The session.
    pub session_id: SessionId,
    /// What is wrong with its log.
    pub problem: String,
}

/// The parameters of `updateSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateSessionParams {
    /// The session.
    pub session_id: SessionId,
    /// A new title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A new model, by its id at the configured provider or as `provider:id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A new thinking level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
    /// Which tools the model should be offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolPreset>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The parameters of `archiveSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ArchiveSessionParams {
    /// The session.
    pub session_id: SessionId,
    /// Whether to put it away; `true` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The result of `updateSession` and `archiveSession`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UpdateSessionResult {
    /// The number of the record of the change.
    pub seq: Seq,
    /// The session as it is now.
    pub session: Session,
}

/// The parameters of `deleteSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteSessionParams {
    /// The session.
    pub session_id: SessionId,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The result of `deleteSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteSessionResult {
    /// The session that is gone.
    pub session_id: SessionId,
}

/// The parameters of `cloneSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CloneSessionParams {
    /// The session to copy from.
    pub session_id: SessionId,
    /// The last event to copy; `null` copies nothing but the facts of the session.
    #[serde(deserialize_with = "Option::deserialize")]
    pub event_id: Option<EventId>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The parameters of `acceptDamage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptDamageParams {
    /// The session.
    pub session_id: SessionId,
    /// Where the damage begins in the log, in bytes.
    pub offset: u64,
    /// How long it is, in bytes.
    pub length: u64,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The result of a mutation that says no more than where it took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeqResult {
    /// The number of the record.
    pub seq: Seq,
}
