//! Transient events: the progress of a running turn, or of a restore of files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::RunnerLog;
use super::typed_body::typed_body;
use crate::{
    ClientId, EventId, OutcomeReason, Role, Seq, SessionId, StopReason, TurnError, TurnId, Usage,
};

/// An event that is sent to subscribers and not stored. It belongs to a turn, but for
/// `restore_progress`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransientEvent {
    /// The event's number, from the same sequence as those of persistent events.
    pub seq: Seq,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// The client that caused it, or `daemon`.
    pub client_id: ClientId,
    /// When it was created, in milliseconds since 1970.
    pub ts: u64,
    /// The turn that it belongs to.
    pub turn_id: Option<TurnId>,
    /// The type and its fields.
    #[serde(flatten)]
    pub body: TransientBody,
}

impl TransientBody {
    /// The types of deltas, which a model's answer has hundreds of.
    pub const DELTAS: [&'static str; 3] = ["text_delta", "thinking_delta", "tool_call_delta"];

    /// Returns whether it is a delta.
    pub const fn is_delta(&self) -> bool {
        matches!(
            self,
            Self::TextDelta(_) | Self::ThinkingDelta(_) | Self::ToolCallDelta(_)
        )
    }
}

impl TransientEvent {
    /// The number of the first event that it stands for: its own, unless it is a merged delta.
    pub fn first_seq(&self) -> Seq {
        let from = match &self.body {
            TransientBody::TextDelta(delta) => delta.from_seq,
            TransientBody::ThinkingDelta(delta) => delta.from_seq,
            TransientBody::ToolCallDelta(delta) => delta.from_seq,
            _ => None,
        };
        from.unwrap_or(self.seq)
    }
}

macro_rules! transient_bodies {
    ($($(#[$doc:meta])* $variant:ident($body:ty) = $name:literal;)*) => {
        /// The body of a transient event, by its `type`.
        #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum TransientBody {
            $($(#[$doc])* #[serde(rename = $name)] $variant($body),)*
        }

        typed_body!(TransientBody { $($variant = $name),* });
    };
}

transient_bodies! {
    /// A turn started running.
    RuntimeStart(RuntimeStart) = "runtime_start";
    /// A turn ended; its `turn_outcome` follows.
    RuntimeEnd(RuntimeEnd) = "runtime_end";
    /// A model call started. Its tool calls belong to the same step.
    TurnStart(TurnStart) = "turn_start";
    /// A model call and its tool calls are complete.
    TurnEnd(TurnEnd) = "turn_end";
    /// A message has begun; deltas and the `message` follow, or `message_cancelled`.
    MessageStart(MessageStart) = "message_start";
    /// Text to append to a `text` block.
    TextDelta(TextDelta) = "text_delta";
    /// Text to append to a `thinking` block.
    ThinkingDelta(ThinkingDelta) = "thinking_delta";
    /// Text to append to the arguments of a tool call.
    ToolCallDelta(ToolCallDelta) = "tool_call_delta";
    /// A message that had begun was discarded.
    MessageCancelled(MessageCancelled) = "message_cancelled";
    /// A model call failed before it showed anything, and is made again.
    ModelRetry(ModelRetry) = "model_retry";
    /// A tool started to execute.
    ToolExecutionStart(ToolExecutionStart) = "tool_execution_start";
    /// Progress of a running tool.
    ToolExecutionUpdate(ToolExecutionUpdate) = "tool_execution_update";
    /// A tool ended; its result follows as a `message`.
    ToolExecutionEnd(ToolExecutionEnd) = "tool_execution_end";
    /// A runner logged something, which is not part of the conversation.
    RunnerLog(RunnerLog) = "runner_log";
    /// Progress of a restore of files. It replaces the previous one.
    RestoreProgress(RestoreProgress) = "restore_progress";
}

/// Body of `runtime_start`, which has no fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeStart {}

/// Body of `runtime_end`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeEnd {
    /// The outcome of the turn.
    pub reason: OutcomeReason,
    /// The failure, for people; absent if there was none.
    pub error: Option<String>,
}

/// Body of `turn_start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStart {
    /// The zero-based index of the model call within the turn.
    pub turn_index: u32,
}

/// Body of `turn_end`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnEnd {
    /// The zero-based index of the model call within the turn.
    pub turn_index: u32,
    /// The tokens used; absent if the provider does not report them.
    pub usage: Option<Usage>,
    /// Why the model stopped; absent if it did not answer.
    pub stop_reason: Option<StopReason>,
}

/// Body of `message_start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageStart {
    /// The id that the `message` event will have.
    pub event_id: EventId,
    /// The event to which it will attach; `null` for a root.
    pub parent_id: Option<EventId>,
    /// The author of the message.
    pub role: Role,
    /// The model; present for assistant messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Body of `text_delta`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextDelta {
    /// The id of the message, from `message_start`.
    pub event_id: EventId,
    /// The zero-based index of the block within the message.
    pub block_index: u32,
    /// The text to append.
    pub delta: String,
    /// In a merged event: the `seq` of the first delta that it contains.
    pub from_seq: Option<Seq>,
}

/// Body of `thinking_delta`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingDelta {
    /// The id of the message, from `message_start`.
    pub event_id: EventId,
    /// The zero-based index of the block within the message.
    pub block_index: u32,
    /// The text to append.
    pub delta: String,
    /// In a merged event: the `seq` of the first delta that it contains.
    pub from_seq: Option<Seq>,
}

/// Body of `tool_call_delta`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallDelta {
    /// The id of the message, from `message_start`.
    pub event_id: EventId,
    /// The zero-based index of the block within the message.
    pub block_index: u32,
    /// The id of the tool call.
    pub tool_call_id: String,
    /// The name of the tool; present in the first delta of a call.
    pub tool_name: Option<String>,
    /// The text to append to the JSON text of the arguments.
    pub delta: String,
    /// In a merged event: the `seq` of the first delta that it contains.
    pub from_seq: Option<Seq>,
}

/// Body of `message_cancelled`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageCancelled {
    /// The id of the discarded message.
    pub event_id: EventId,
    /// Why it was discarded.
    pub reason: MessageCancelReason,
}

/// Why a message was discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageCancelReason {
    /// A client cancelled the turn.
    UserCancel,
    /// The model call failed.
    Error,
    /// The answer reached the limit of output tokens before it had content.
    MaxTokens,
}

/// Body of `model_retry`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRetry {
    /// The number of the attempt that failed, from 1.
    pub attempt: u32,
    /// Why it failed.
    pub error: TurnError,
    /// When the call is made again, in milliseconds since 1970.
    pub until: u64,
}

/// Body of `tool_execution_start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolExecutionStart {
    /// The id that the `message` event with the result will have.
    pub event_id: EventId,
    /// The event to which the result will attach; `null` while the result of an earlier parallel
    /// call is pending.
    pub parent_id: Option<EventId>,
    /// The id of the tool call.
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The arguments of the call.
    pub args: Value,
    /// The runner that executes the call itself; absent for a call that the daemon executes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran_by: Option<String>,
}

/// Body of `tool_execution_update`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolExecutionUpdate {
    /// The id that the `message` event with the result will have.
    pub event_id: EventId,
    /// The id of the tool call.
    pub tool_call_id: String,
    /// The current state of the output. It replaces the previous update.
    pub partial: Value,
}

/// Body of `tool_execution_end`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolExecutionEnd {
    /// The id that the `message` event with the result will have.
    pub event_id: EventId,
    /// The id of the tool call.
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The duration of the call, in milliseconds.
    pub duration_ms: u64,
    /// True if the call failed.
    pub is_error: bool,
}

/// Body of `restore_progress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RestoreProgress {
    /// The `files_restore`, `rewind` or `branch` that recorded the restore.
    pub event_id: EventId,
    /// The number of files that are done, those that failed included.
    pub done: u64,
    /// The number of files that the record names.
    pub total: u64,
}
