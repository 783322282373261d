//! Persistent events: the records of the log.

use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::typed_body::typed_body;
use super::{
    AuxiliaryUsageBody, CompactBody, CompactionBody, ContextEditBody, FilesRestoreBody,
    FilesRestoredBody, InstructionPart, PermissionDecisionBody, PermissionRequestBody,
    QueueUpdateBody, RunnerContextBody, RunnerExitBody, RunnerStartBody, RuntimeBoundSessionBody,
    RuntimeFinishedBody, RuntimeQueueChangedBody, RuntimeResultDeliveredBody, RuntimeSpawnedBody,
    RuntimeStatusChangedBody, RuntimeSummaryUpdatedBody, ToolSetBody, TurnOutcomeBody,
};
use crate::tags::without_our_tags;
use crate::{
    ChannelSource, ClientId, CommandId, EventId, FileBefore, FileChange, Message, OnRestart,
    PermissionMode, QueueItemId, RecordedFiles, Seq, SessionId, ThinkingLevel, TitleSource,
    ToolPreset, TurnId,
};

/// An event that is written to the session's log and synced before any client sees it.
///
/// In JSON, the fields of `body` stand among the others. The log appends two fields to each line, `prev` and
/// `crc`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = describe_crc)]
pub struct PersistentEvent {
    /// The event's id.
    pub id: EventId,
    /// The event it attaches to in the tree; `null` for a root, and for events that are not part of
    /// the tree.
    #[serialize_always]
    pub parent_id: Option<EventId>,
    /// The event's number, unique and increasing within the session.
    pub seq: Seq,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// The client that caused it, or `daemon`.
    pub client_id: ClientId,
    /// When it was created, in milliseconds since 1970. For display only: `seq` defines the order.
    pub ts: u64,
    /// The turn that caused it; absent outside a turn.
    pub turn_id: Option<TurnId>,
    /// The `commandId` of the call that caused it. Together with `clientId` it is the receipt of
    /// that command.
    pub command_id: Option<CommandId>,
    /// The SHA-256 of that call's method and parameters, in hexadecimal, to recognise a repetition.
    pub digest: Option<String>,
    /// In a cloned session: the event that this one copies. A copy is history: it opens no turn and
    /// changes no queue.
    pub origin: Option<Origin>,
    /// The type and its fields.
    #[serde(flatten)]
    pub body: PersistentBody,
    /// The `seq` of the preceding persistent event; 0 for the first. Added by the log.
    pub prev: Option<Seq>,
}

/// Adds `crc` to the schema. The checksum covers the encoded line, so only the log can compute it,
/// and the type has no such field.
fn describe_crc(schema: &mut Schema) {
    let crc = json_schema!({
        "type": "string",
        "pattern": "^[0-9a-f]{8}$",
        "description": "The CRC-32C of the line's bytes before this field. Added by the log.",
    });
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("crc".to_owned(), crc.to_value());
    }
}

/// The source of a copied event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// The session that was cloned.
    pub session_id: SessionId,
    /// The event in that session.
    pub event_id: EventId,
}

macro_rules! persistent_bodies {
    ($($(#[$doc:meta])* $variant:ident($body:ty) = $name:literal, $place:ident;)*) => {
        /// The body of a persistent event, by its `type`.
        #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum PersistentBody {
            $($(#[$doc])* #[serde(rename = $name)] $variant($body),)*
        }

        typed_body!(PersistentBody { $($variant = $name),* });

        impl PersistentBody {
            /// The event's relation to the session's tree.
            pub const fn place(&self) -> TreePlacement {
                match self { $(Self::$variant(_) => TreePlacement::$place,)* }
            }

            /// The relation of a type of event to the tree; `None` for an unknown type.
            pub(crate) fn place_of(name: &str) -> Option<TreePlacement> {
                match name {
                    $($name => Some(TreePlacement::$place),)*
                    _ => None,
                }
            }
        }
    };
}

/// The relation of a persistent event to the session's tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreePlacement {
    /// Attaches to the active leaf and becomes the leaf.
    Leaf,
    /// Attaches to the active leaf and moves the leaf to its target.
    Move,
    /// Attaches to the active leaf, which stays where it is.
    Aside,
    /// Is not part of the tree.
    Control,
}

persistent_bodies! {
    /// A message was added: by a user, the model, a tool or the daemon.
    Message(MessageBody) = "message", Leaf;
    /// A summary replaced earlier messages in the model's context.
    Compact(CompactBody) = "compact", Leaf;
    /// An extension added a message for the model.
    CustomMessage(CustomMessageBody) = "custom_message", Leaf;
    /// The active leaf moved back to an earlier event.
    Rewind(RewindBody) = "rewind", Move;
    /// The active leaf moved to another branch.
    Branch(BranchBody) = "branch", Move;
    /// The next message arrived through an external channel. Written in one step with that message, and no part of
    /// its turn.
    ChannelInject(ChannelInjectBody) = "channel_inject", Aside;
    /// The session's title, model or other settings changed.
    SessionInfo(SessionInfoBody) = "session_info", Aside;
    /// An extension stored data.
    Custom(CustomBody) = "custom", Aside;
    /// The system prompt for the model calls that follow.
    InstructionSnapshot(InstructionSnapshotBody) = "instruction_snapshot", Control;
    /// The tools from outside that the model is offered from here on.
    ToolSet(ToolSetBody) = "tool_set", Control;
    /// A turn ended. This is its last event.
    TurnOutcome(TurnOutcomeBody) = "turn_outcome", Control;
    /// The queue changed.
    QueueUpdate(QueueUpdateBody) = "queue_update", Control;
    /// A tool call is about to execute: from here on it may have had effects.
    ToolStarted(ToolStartedBody) = "tool_started", Control;
    /// A tool call waits for permission.
    PermissionRequest(PermissionRequestBody) = "permission_request", Control;
    /// A permission request was decided.
    PermissionDecision(PermissionDecisionBody) = "permission_decision", Control;
    /// A turn is suspended until a known time, for example because of a rate limit.
    TurnWaiting(TurnWaitingBody) = "turn_waiting", Control;
    /// A suspended or interrupted turn continued.
    TurnResumed(TurnResumedBody) = "turn_resumed", Control;
    /// A compaction began, or ended without a summary.
    Compaction(CompactionBody) = "compaction", Control;
    /// Old tool results were shortened in the model's context.
    ContextTrim(ContextTrimBody) = "context_trim", Control;
    /// A hook changed what the model reads of messages.
    ContextEdit(ContextEditBody) = "context_edit", Control;
    /// A model call was made that no other event records.
    AuxiliaryUsage(AuxiliaryUsageBody) = "auxiliary_usage", Control;
    /// Files are about to be restored. `files_restored` follows, unless there are none.
    FilesRestore(FilesRestoreBody) = "files_restore", Control;
    /// A restore of files has ended.
    FilesRestored(FilesRestoredBody) = "files_restored", Control;
    /// A runner is about to get the turn's prompt. `runner_exit` follows.
    RunnerStart(RunnerStartBody) = "runner_start", Control;
    /// A runner's context was named, replaced or given up.
    RunnerContext(RunnerContextBody) = "runner_context", Control;
    /// A runner has ended, or waits for the next turn.
    RunnerExit(RunnerExitBody) = "runner_exit", Control;
    /// An agent was given a task.
    RuntimeSpawned(RuntimeSpawnedBody) = "runtime_spawned", Control;
    /// The session of an agent's task exists.
    RuntimeBoundSession(RuntimeBoundSessionBody) = "runtime_bound_session", Control;
    /// A task began, waits for a person, goes on, or is being stopped.
    RuntimeStatusChanged(RuntimeStatusChangedBody) = "runtime_status_changed", Control;
    /// Tasks that wait for their agent have other places.
    RuntimeQueueChanged(RuntimeQueueChangedBody) = "runtime_queue_changed", Control;
    /// An agent does something else.
    RuntimeSummaryUpdated(RuntimeSummaryUpdatedBody) = "runtime_summary_updated", Control;
    /// An agent's task ended.
    RuntimeFinished(RuntimeFinishedBody) = "runtime_finished", Control;
    /// The model has got the result of an agent's task.
    RuntimeResultDelivered(RuntimeResultDeliveredBody) = "runtime_result_delivered", Control;
    /// A damaged place in the log was accepted.
    DamageAccepted(DamageAcceptedBody) = "damage_accepted", Control;
    /// The daemon tells the user something.
    Notice(NoticeBody) = "notice", Control;
    /// A block of sequence numbers was reserved.
    SeqReserve(SeqReserveBody) = "seq_reserve", Control;
}

/// Body of `message`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageBody {
    /// The message.
    pub message: Message,
    /// The queue item from which the message was made. The event removes that item from the queue.
    pub queue_item_id: Option<QueueItemId>,
    /// In a tool's result: the files of the project that the call changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
    /// In a tool's result: why the call may have changed more files than these.
    pub unwatched: Option<String>,
}

impl MessageBody {
    /// A message that comes from no queue and changed no files.
    pub const fn new(message: Message) -> Self {
        Self {
            message,
            queue_item_id: None,
            files: Vec::new(),
            unwatched: None,
        }
    }

    /// The same message, with the files that the call changed.
    #[must_use]
    pub fn recording(self, recorded: RecordedFiles) -> Self {
        Self {
            files: recorded.files,
            unwatched: recorded.unwatched,
            ..self
        }
    }
}

/// Body of `custom_message`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessageBody {
    /// The kind of message, as named by the extension.
    pub kind: String,
    /// The message as the model gets it.
    pub message: Message,
    /// Data of the extension, which the model does not get.
    pub data: Option<Value>,
    /// The queue item from which the message was made. The event removes that item from the queue.
    pub queue_item_id: Option<QueueItemId>,
}

/// Body of `rewind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RewindBody {
    /// The new active leaf; `null` for the empty conversation.
    #[serde(deserialize_with = "Option::deserialize")]
    pub target_event_id: Option<EventId>,
    /// The files that are restored with it. `files_restored` follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
}

/// Body of `branch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchBody {
    /// The new active leaf.
    pub leaf_event_id: EventId,
    /// The files that are restored with it. `files_restored` follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
}

/// Body of `channel_inject`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelInjectBody {
    /// The name of the channel, such as `telegram` or `cron`.
    pub channel: String,
    /// The message's id in that channel.
    pub external_id: String,
    /// Further data of the channel.
    pub metadata: Option<Value>,
    /// The most that the message's turn may do.
    #[serde(default)]
    pub mode: PermissionMode,
}

impl From<ChannelSource> for ChannelInjectBody {
    fn from(source: ChannelSource) -> Self {
        Self {
            channel: source.channel,
            external_id: source.external_id,
            metadata: source.metadata,
            mode: source.mode,
        }
    }
}

/// Body of `session_info`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfoBody {
    /// The changed settings.
    pub changes: SessionChanges,
}

/// Changed settings of a session. Absent fields are unchanged.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionChanges {
    /// The new title.
    pub title: Option<String>,
    /// Where the title comes from; absent: a client set it.
    pub title_source: Option<TitleSource>,
    /// The new model: its id at the configured provider, or `provider:id`.
    pub model: Option<String>,
    /// The new runner, or `scorel` for the daemon's own engine.
    pub runner: Option<String>,
    /// The new thinking level.
    pub thinking_level: Option<ThinkingLevel>,
    /// The new tool preset.
    pub tools: Option<ToolPreset>,
    /// The fate of a turn that is running when the daemon ends.
    pub on_restart: Option<OnRestart>,
    /// True if the session is archived.
    pub archived: Option<bool>,
    /// `true`: the next turn begins with a new instruction snapshot.
    pub refresh_instructions: Option<bool>,
}

/// Body of `custom`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CustomBody {
    /// The kind of data, as named by the extension.
    pub kind: String,
    /// The data, which only the extension interprets.
    pub data: Value,
}

/// Body of `instruction_snapshot`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionSnapshotBody {
    /// The parts of the system prompt, in order. The prompt is their texts, joined by empty lines.
    pub parts: Vec<InstructionPart>,
}

impl InstructionSnapshotBody {
    /// The system prompt: the parts' texts, joined by empty lines. Only the daemon's own part names tags
    /// of ours.
    pub fn text(&self) -> String {
        let text = |part: &InstructionPart| match part.source.as_str() {
            "base" => part.text.clone(),
            _ => without_our_tags(&part.text).into_owned(),
        };
        let texts: Vec<String> = self.parts.iter().map(text).collect();
        texts.join("\n\n")
    }
}

/// Body of `tool_started`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolStartedBody {
    /// The id of the call, from the `tool_use` block.
    pub tool_call_id: String,
    /// The name of the tool. If the model called it through `ToolCall`, that of the tool that runs.
    pub tool_name: String,
    /// The id that the `message` event with the result will have.
    pub event_id: EventId,
    /// The files that the call is about to change, in their current state. The call changes no file
    /// whose state differs by then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileBefore>,
    /// The runner that executes the call itself; absent for a call that the daemon executes.
    pub ran_by: Option<String>,
    /// The arguments that the call runs with; absent if they are those of the `tool_use` block and that names this
    /// tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The hooks that changed the arguments, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_by: Vec<String>,
}

/// Body of `turn_waiting`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnWaitingBody {
    /// When the turn continues, in milliseconds since 1970.
    pub until: u64,
    /// The reason for the wait, for people.
    pub reason: String,
    /// The reason for the wait, for programs; absent in records of older versions.
    pub kind: Option<WaitKind>,
    /// The number of this wait in the turn, from 1; absent if no model call failed before it.
    pub attempt: Option<u32>,
}

/// Body of `turn_resumed`, which has no fields beyond `turnId`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnResumedBody {}

/// Body of `context_trim`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextTrimBody {
    /// The `message` events whose tool results are shortened.
    pub event_ids: Vec<EventId>,
    /// The number of characters kept of each result.
    pub keep_chars: u64,
}

/// Body of `damage_accepted`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DamageAcceptedBody {
    /// The byte offset in the log at which the damage begins.
    pub offset: u64,
    /// The length of the damage in bytes.
    pub length: u64,
}

/// Body of `notice`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoticeBody {
    /// The subject, for programs: `sandbox_missing`, or a later one.
    /// A session has at most one notice of each.
    pub code: String,
    /// The text, for people.
    pub text: String,
}

/// Body of `seq_reserve`, which has no fields. Like every record, it reserves the block of numbers
/// after its own `seq`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeqReserveBody {}

/// The reason for which a turn is suspended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitKind {
    /// The provider's rate limit: the model call is made again then.
    RateLimit,
    /// A restart of the daemon.
    Restart,
}
