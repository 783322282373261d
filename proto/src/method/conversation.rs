use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::files::RestoreOptions;
use super::present::present;
use crate::{
    Block, ChannelSource, CommandId, CompactionId, EventId, Message, PermissionDecision,
    PermissionRequestId, QueueItemId, QueueKind, RunMode, Seq, SessionId, StorageStall, TurnId,
};

/// The content of a user message: a string, or an array of `text`, `image`, `blob` and `attachment` blocks.
///
/// On the wire, a string is shorthand for one text block.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Content(pub Vec<Block>);

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self(vec![Block::text(text)])
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;

        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an array of blocks")
            }

            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                Ok(Content::from(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, blocks: A) -> Result<Content, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(blocks)).map(Content)
            }
        }

        deserializer.deserialize_any(ContentVisitor)
    }
}

impl JsonSchema for Content {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Content".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let block = generator.subschema_for::<Block>();
        json_schema!({
            "description": "What a person says: text, or blocks of text, images and attachments.",
            "anyOf": [{ "type": "string" }, { "type": "array", "items": block }],
        })
    }
}

/// Parameters of `sendMessage`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendMessageParams {
    /// The session.
    pub session_id: SessionId,
    /// The message; not empty. Images are stored with `putBlob` first.
    pub content: Content,
    /// Files of the project that the daemon reads now and adds to the content, as `attachment` blocks after
    /// it: at most 16. A retry with the same `commandId` reads none again. Absent: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentPath>,
    /// The treatment of the message if a turn is running or messages are queued; absent: `followUp`.
    pub while_running: Option<WhileRunning>,
    /// The event to attach to instead of the active leaf: the end of a finished turn, or `null` for
    /// a new root. To edit a message and send it again, attach the new one to what stands before
    /// it. Fails with `runtime_busy` while a turn runs or messages are queued, and as `rewind` does
    /// for an event that was summarised.
    #[serde(default, deserialize_with = "present")]
    pub parent_event_id: Option<Option<EventId>>,
    /// The active leaf as the client knows it. Fails with `conflict` if it is another event by now.
    /// Absent: not checked.
    #[serde(default, deserialize_with = "present")]
    pub expected_leaf_id: Option<Option<EventId>>,
    /// Changes the session's model from this message on: an id at the configured provider, or
    /// `provider:id`.
    pub model: Option<String>,
    /// Changes what runs the session's turns from this message on: the name of a runner, or `scorel`.
    /// One that is not installed is accepted, and the outcome of the turn says so.
    pub runner: Option<String>,
    /// The purpose of this message alone, in a session that has a run of a workflow; absent: that of the run. A message
    /// with a purpose of its own never steers.
    pub mode: Option<RunMode>,
    /// The channel that the message comes through, if no person sends it. Its `externalId` makes the call
    /// idempotent. Such a message never steers, changes neither model nor runner, attaches to the active leaf, and has
    /// the channel as its author.
    pub channel: Option<ChannelSource>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`. Not with `channel`.
    pub command_id: Option<CommandId>,
}

/// A file to be attached to a message: text of at most 256 KiB in UTF-8, UTF-16 or Latin-1, or a picture
/// (PNG, JPEG, GIF, WebP) of at most 3.75 MB and 8,000 pixels on a side. The texts of a message have at most
/// 1 MiB together.
///
/// `deny` rules and places that hold credentials keep a file from being attached, as they keep it from tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AttachmentPath {
    /// The file: relative to the project, or absolute and inside it. Links that stay inside are followed.
    pub path: String,
}

/// The treatment of a message when the session is busy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WhileRunning {
    /// Queue it; it starts a turn of its own.
    #[default]
    FollowUp,
    /// Queue it for the running turn, which reads it before its next model call, or before it would
    /// end. A follow-up if the turn is being cancelled or something else than a turn runs; the result
    /// says which.
    Steer,
    /// Fail with `runtime_busy`, or with `queue_paused` if only a paused queue is in the way.
    Reject,
}

/// Result of `sendMessage`. The message is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "status",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum SendMessageResult {
    /// The message started a turn.
    Accepted {
        /// The id of the `message` event.
        user_event_id: EventId,
        /// The turn that the message started.
        turn_id: TurnId,
        /// The `seq` of the `message` event.
        seq: Seq,
    },
    /// The message was queued.
    Queued {
        /// The kind as which it was queued.
        queue: QueueKind,
        /// The queue item. The later `message` event carries it as `queueItemId`.
        queue_item_id: QueueItemId,
        /// The zero-based position in the queue.
        position: u32,
        /// The `seq` of the `queue_update` event.
        seq: Seq,
    },
}

/// Parameters of `cancel`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelParams {
    /// The session.
    pub session_id: SessionId,
    /// The turn to cancel. If another turn is open, nothing is cancelled. Absent: whichever turn is
    /// open.
    pub expected_turn_id: Option<TurnId>,
    /// Set to remove all queued messages as well; absent: `false`. It makes `cancel` a mutation with a receipt:
    /// a retry with the same `commandId` gets the first reply and signals nothing.
    pub clear_queue: Option<bool>,
    /// The runtimes of the session that are stopped. Absent: those that the cancelled turn has spawned, once it
    /// has its outcome.
    pub children: Option<CancelChildren>,
    /// Makes the call idempotent, if `clearQueue` or `children` is set. Requires a `clientId`; see
    /// `hello`.
    pub command_id: Option<CommandId>,
}

/// The runtimes of a session that a `cancel` stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CancelChildren {
    /// All that have not ended.
    All,
}

/// Result of `cancel`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancelResult {
    /// True if something that was open took the signal. For a turn, `turn_outcome` then reports how it
    /// ended, which is not necessarily `cancelled`: it may have completed first.
    pub cancelled: bool,
    /// With `clearQueue` or `children`, and of a restore: the seq of the `queue_update` that records the
    /// cancel. Absent if the restore's cancel was recorded before, and if another turn than the expected
    /// one was open and nothing happened.
    pub seq: Option<Seq>,
    /// The log cannot be written: the turn ends once it can be, and what it holds until then is
    /// lost if the daemon ends first. Absent while the log can be written.
    pub storage_stalled: Option<StorageStall>,
}

/// Parameters of `rewind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RewindParams {
    /// The session.
    pub session_id: SessionId,
    /// The new active leaf: an earlier event on the active path at which a turn has ended, or
    /// `null` for the empty conversation.
    #[serde(deserialize_with = "Option::deserialize")]
    pub target_event_id: Option<EventId>,
    /// The active leaf as the client knows it; `null` for an empty conversation. Fails with
    /// `conflict` if it is another event by now.
    #[serde(deserialize_with = "Option::deserialize")]
    pub expected_leaf_id: Option<EventId>,
    /// Also gives the files of the project that the session has changed since the target's turn ended the
    /// state again that they had then. The call returns when that is done; `files_restored` reports it.
    /// With files in conflict it fails with `conflict`, `details.kind: files`, unless these are skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restore_files: Option<RestoreOptions>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Parameters of `branch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BranchParams {
    /// The session.
    pub session_id: SessionId,
    /// The new active leaf: the last event of a finished turn on another branch.
    pub leaf_event_id: EventId,
    /// The active leaf as the client knows it; `null` for an empty conversation. Fails with
    /// `conflict` if it is another event by now.
    #[serde(deserialize_with = "Option::deserialize")]
    pub expected_leaf_id: Option<EventId>,
    /// Also gives the files of the project that the session has changed since the target's turn ended the
    /// state again that they had then. The call returns when that is done; `files_restored` reports it.
    /// With files in conflict it fails with `conflict`, `details.kind: files`, unless these are skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restore_files: Option<RestoreOptions>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Parameters of `appendCustom`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppendCustomParams {
    /// The session.
    pub session_id: SessionId,
    /// The kind of data: letters, digits, `.`, `_` and `-`, at most 64. `hook.`, `workflow.` and
    /// `scorel.` are reserved.
    pub kind: String,
    /// The data, at most 256 KiB of JSON.
    pub data: Value,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Parameters of `appendCustomMessage`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppendCustomMessageParams {
    /// The session.
    pub session_id: SessionId,
    /// The kind of message, as in `appendCustom`.
    pub kind: String,
    /// The message as the model gets it, of role `user` or `internal`: text, images and blobs. The
    /// model reads an `internal` one as a reminder.
    pub message: Message,
    /// Data that the model does not get, at most 256 KiB of JSON.
    pub data: Option<Value>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `appendCustomMessage`. The event is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "status",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum AppendCustomMessageResult {
    /// No turn is open, so the message is part of the conversation now.
    Appended {
        /// The id of the `custom_message` event.
        event_id: EventId,
        /// The `seq` of the `custom_message` event.
        seq: Seq,
    },
    /// The open turn reads the message before its next model call.
    Queued {
        /// The queue item, a steer. The later `custom_message` event carries it as `queueItemId`.
        queue_item_id: QueueItemId,
        /// The zero-based position in the queue.
        position: u32,
        /// The `seq` of the `queue_update` event.
        seq: Seq,
    },
}

/// Result of `appendCustom`. The event is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppendResult {
    /// The id of the event.
    pub event_id: EventId,
    /// The `seq` of the event.
    pub seq: Seq,
}

/// Parameters of `compact`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompactParams {
    /// The session.
    pub session_id: SessionId,
    /// Additional instructions for the summary, such as what to keep.
    pub instructions: Option<String>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `compact`. The compaction is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactResult {
    /// The seq of its `compaction` event.
    pub seq: Seq,
    /// The compaction.
    pub compaction_id: CompactionId,
}

/// Parameters of `respondPermission`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RespondPermissionParams {
    /// The session.
    pub session_id: SessionId,
    /// The request to answer.
    pub request_id: PermissionRequestId,
    /// The decision. `session` and `always` fail with `invalid_params` if the request has no
    /// `rules`; `cancelled` is reserved for the daemon.
    pub decision: PermissionDecision,
    /// The reason, recorded in the log. The model is given the reason of a `deny`.
    pub reason: Option<String>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Parameters of `endWait`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndWaitParams {
    /// The session's id.
    pub session_id: SessionId,
    /// The turn that waits. For another turn, or one that does not wait, the call fails with
    /// `conflict`.
    pub expected_turn_id: TurnId,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}
