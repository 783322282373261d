use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentTaskCounts, AgentTaskQuestion, CommandId, CostTotal, EventId, OWN_RUNNER, OnRestart,
    Phase, ProjectId, QueueItem, RunnerContext, Seq, SessionId, SessionRun, StorageStall,
    ThinkingLevel, TitleSource, ToolPreset, TurnId, Usage,
};

/// The metadata of a session: everything but its events.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The session's id.
    pub session_id: SessionId,
    /// The project it belongs to, for life.
    pub project_id: ProjectId,
    /// The origin of the session.
    pub kind: SessionKind,
    /// The session it was created from; absent for a session that a user started.
    pub parent: Option<SessionParent>,
    /// The agent that works in it; absent if none does.
    pub agent: Option<SessionAgent>,
    /// The file that its history comes from; absent unless it was imported.
    pub origin: Option<SessionOrigin>,
    /// The run of a workflow that it belongs to; absent if it belongs to none.
    pub run: Option<SessionRun>,
    /// The git worktree that it works in for that run; absent if it works in the project's directory.
    pub worktree: Option<SessionWorktree>,
    /// The title; without one, the first line of the first message, shortened; `null` if there is
    /// neither.
    #[serialize_always]
    pub title: Option<String>,
    /// Where the title comes from; absent without one.
    pub title_source: Option<TitleSource>,
    /// The session's own model, as the client named it; `null` if it uses the configured one.
    #[serialize_always]
    pub model: Option<String>,
    /// The runner of its turns: the name of a runner, or `scorel` for the daemon's own engine.
    #[serde(default = "own_runner")]
    pub runner: String,
    /// The contexts that runners keep of the session, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub runner_contexts: BTreeMap<String, RunnerContext>,
    /// The session's thinking level.
    pub thinking_level: ThinkingLevel,
    /// The session's own tool preset; absent if it uses the configured one.
    pub tools: Option<ToolPreset>,
    /// The current phase.
    pub phase: Phase,
    /// The open turn; absent if there is none.
    pub turn_id: Option<TurnId>,
    /// The active leaf: the event to which the next message attaches; `null` in an empty session.
    #[serialize_always]
    pub active_leaf_id: Option<EventId>,
    /// The `seq` of the last published event, transient events included; 0 if there is none.
    pub current_seq: Seq,
    /// The `seq` of the last persistent event; 0 if there is none.
    pub last_persistent_seq: Seq,
    /// The queued messages, the next one to run first.
    pub queue: Vec<QueueItem>,
    /// The version of the queue. It changes with every change of the queue; `rewriteQueue` expects
    /// it.
    pub queue_version: u64,
    /// True while the queue is paused. It continues with the operation `resume`; if an outcome has paused it, also
    /// when a message is queued.
    pub queue_paused: bool,
    /// The tokens used by all model calls of the session.
    pub usage: Usage,
    /// The cost of those model calls.
    #[serde(default)]
    pub cost: CostTotal,
    /// The fate of a turn that is running when the daemon ends; absent: as configured.
    pub on_restart: Option<OnRestart>,
    /// When it was created, in milliseconds since 1970.
    pub created_at: u64,
    /// The time of its last persistent event, in milliseconds since 1970.
    pub updated_at: u64,
    /// True if it is archived: hidden from lists, and without new messages. Otherwise unchanged.
    pub archived: bool,
    /// Why it cannot be used, or only be read; absent if nothing is wrong.
    pub problem: Option<String>,
    /// The number of its runtimes; absent if it never had any.
    pub runtimes: Option<AgentTaskCounts>,
    /// The questions that its runtimes wait for. `respondPermission` answers each in the session it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub child_questions: Vec<AgentTaskQuestion>,
    /// Since when the log cannot be written, and what waits for that; absent while it can be.
    /// `problem` has the reason.
    pub storage_stalled: Option<StorageStall>,
    /// When it was deleted; absent unless it is in the trash.
    pub deleted: Option<SessionDeletion>,
}

impl Session {
    /// The git worktree that it works in, as a run or as an agent has one.
    pub fn worktree(&self) -> Option<&SessionWorktree> {
        let of_agent = self.agent.as_ref().and_then(|it| it.worktree.as_ref());
        self.worktree.as_ref().or(of_agent)
    }
}

fn own_runner() -> String {
    OWN_RUNNER.to_owned()
}

/// The origin of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// A client, on behalf of a user.
    #[default]
    User,
    /// The agent of another session.
    Subagent,
    /// A session that runs an external command line agent.
    Runner,
    /// A workflow.
    Workflow,
    /// A kind that this version does not know.
    #[serde(other)]
    Other,
}

/// The origin of a session that another session created, or that is a clone.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionParent {
    /// The session's id.
    pub session_id: SessionId,
    /// The event at which the new session branched off.
    pub event_id: Option<EventId>,
    /// The task for which it was created.
    pub task_id: Option<String>,
}

/// The agent of a session, for the session's life.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionAgent {
    /// Its name in the configuration.
    pub agent_type: String,
    /// The number of sessions that are above this one.
    pub depth: u32,
    /// The git worktree that it works in; absent if it works in the project's directory.
    pub worktree: Option<SessionWorktree>,
}

/// A git worktree of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionWorktree {
    /// Where it is, absolute.
    pub path: String,
    /// Its branch.
    pub branch: String,
}

/// Parameters of `createSession`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateSessionParams {
    /// The project it belongs to, for life.
    pub project_id: ProjectId,
    /// A title: one line, at most 1 KiB. Absent: the first message serves as title.
    pub title: Option<String>,
    /// A model: its id at the configured provider, or `provider:id`. Absent: the configured model,
    /// also when that changes later.
    pub model: Option<String>,
    /// The runner of its turns: the name of a runner, or `scorel`; absent: `scorel`.
    pub runner: Option<String>,
    /// The thinking level; absent: `default`.
    pub thinking_level: Option<ThinkingLevel>,
    /// The tools that the model is offered; absent: as configured.
    pub tools: Option<ToolPreset>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `createSession` and `cloneSession`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateSessionResult {
    /// The new session's id.
    pub session_id: SessionId,
    /// The new session as it is now.
    pub session: Session,
}

/// Parameters of `getSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetSessionParams {
    /// The session's id.
    pub session_id: SessionId,
}

/// Result of `getSession`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GetSessionResult {
    /// The session.
    pub session: Session,
}

/// Parameters of `listSessions`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListSessionsParams {
    /// Only sessions of this project.
    pub project_id: Option<ProjectId>,
    /// Only sessions of this kind.
    pub kind: Option<SessionKind>,
    /// `true`: only archived sessions; `false` or absent: only the others.
    pub archived: Option<bool>,
    /// `true`: the sessions in the trash instead, archived or not, the last deleted first.
    pub deleted: Option<bool>,
    /// The maximum number of sessions per page, 1 to 1,000; absent: 50.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// `nextCursor` of the previous page; absent: the first page.
    pub cursor: Option<String>,
}

/// Result of `listSessions`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListSessionsResult {
    /// The sessions, the most recently changed first.
    pub sessions: Vec<Session>,
    /// Sessions whose log header cannot be read, after all others. Their project and kind are
    /// unknown, so every filter matches them, except `archived: true`. They count towards `limit`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadableSession>,
    /// The cursor of the next page; absent on the last page.
    pub next_cursor: Option<String>,
}

/// A session whose log header cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnreadableSession {
    /// The session's id.
    pub session_id: SessionId,
    /// Why the log cannot be read.
    pub problem: String,
}

/// Parameters of `updateSession`. At least one of the changes must be present.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateSessionParams {
    /// The session's id.
    pub session_id: SessionId,
    /// A new title: one line, at most 1 KiB.
    pub title: Option<String>,
    /// A new model for future model calls: its id at the configured provider, or `provider:id`.
    pub model: Option<String>,
    /// The runner of its turns from the next one on: the name of a runner, or `scorel`.
    pub runner: Option<String>,
    /// A new thinking level for future model calls.
    pub thinking_level: Option<ThinkingLevel>,
    /// The tools that the model is offered; absent: as configured.
    pub tools: Option<ToolPreset>,
    /// The fate of a turn that is running when the daemon ends.
    pub on_restart: Option<OnRestart>,
    /// `true`: the next turn begins with a new instruction snapshot, of the files and settings as they
    /// are then, and with the tools that servers and extensions have then.
    pub refresh_instructions: Option<bool>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Parameters of `archiveSession`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ArchiveSessionParams {
    /// The session's id.
    pub session_id: SessionId,
    /// `true` or absent: archive; `false`: restore.
    pub archived: Option<bool>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `updateSession` and `archiveSession`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UpdateSessionResult {
    /// The `seq` of the `session_info` event that records the change.
    pub seq: Seq,
    /// The session after the change.
    pub session: Session,
}

/// Parameters of `deleteSession`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteSessionParams {
    /// The session's id.
    pub session_id: SessionId,
    /// The fate of the sessions of its runtimes that have not ended. Absent: the call is refused with
    /// `runtime_busy` if there are any.
    pub children: Option<DeleteChildren>,
    /// `true`: it is deleted for good, also if it is in the trash already; `false` or absent: it goes to
    /// the trash.
    pub now: Option<bool>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// The fate of the runtimes of a deleted session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeleteChildren {
    /// They are stopped, and their sessions are deleted.
    Delete,
}

/// Result of `deleteSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteSessionResult {
    /// The deleted session.
    pub session_id: SessionId,
}

/// Parameters of `cloneSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CloneSessionParams {
    /// The session to copy from.
    pub session_id: SessionId,
    /// The last event to copy, the end of a finished turn; `null` copies the session's settings
    /// only.
    #[serde(deserialize_with = "Option::deserialize")]
    pub event_id: Option<EventId>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Parameters of `acceptDamage`. The damaged places are in the `details` of the `session_failed`
/// error.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptDamageParams {
    /// The session's id.
    pub session_id: SessionId,
    /// The byte offset in the log at which the damage begins.
    pub offset: u64,
    /// The length of the damage in bytes; 0 where a record is missing between two intact lines.
    pub length: u64,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of a command whose only effect is one persistent event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeqResult {
    /// The `seq` of the event.
    pub seq: Seq,
}

/// The deletion of a session that can be brought back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionDeletion {
    /// When it was deleted, in milliseconds since 1970.
    pub at: u64,
    /// Until when it can be brought back, in milliseconds since 1970.
    pub until: u64,
}

/// Parameters of `undeleteSession`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndeleteSessionParams {
    /// The session's id.
    pub session_id: SessionId,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `undeleteSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndeleteSessionResult {
    /// The session that is back.
    pub session_id: SessionId,
}

/// Where the history of an imported session comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionOrigin {
    /// The program that wrote the file.
    pub tool: ImportTool,
    /// The name of the conversation in the file: the id of a session of that tool.
    pub id: String,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

/// A program whose conversations can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportTool {
    /// This one: a bundle.
    Scorel,
    /// Claude Code: a transcript.
    ClaudeCode,
    /// Codex: a rollout.
    Codex,
    /// A program that this version does not know.
    #[serde(other)]
    Other,
}
