//! Events that are shown while a turn runs and are not kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ClientId, EventId, OutcomeReason, Role, Seq, SessionId, StopReason, TurnId, Usage};

/// An event that is sent to subscribers and not kept. It exists only inside a turn.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransientEvent {
    /// The event's number, from the same sequence as the persistent events.
    pub seq: Seq,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// Who caused it.
    pub client_id: ClientId,
    /// When it was made, in milliseconds since 1970.
    pub ts: u64,
    /// The turn that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// What happened.
    #[serde(flatten)]
    pub body: TransientBody,
}

impl TransientEvent {
    /// The number of the first event that it stands for: its own, unless it is a merged delta.
    #[must_use]
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
        /// What a transient event says, by its `type`.
        #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum TransientBody {
            $($(#[$doc])* #[serde(rename = $name)] $variant($body),)*
        }

        impl TransientBody {
            /// Every type name, in the order of the documentation.
            pub const TYPES: &'static [&'static str] = &[$($name,)*];

            /// The `type` of the event.
            #[must_use]
            pub const fn type_name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// Reads the body of an event of a known type out of the event's JSON text.
            /// Nothing if the type is not known.
            pub(crate) fn decode(name: &str, text: &str) -> Option<serde_json::Result<Self>> {
                match name {
                    $($name => Some(serde_json::from_str(text).map(Self::$variant)),)*
                    _ => None,
                }
            }
        }
    };
}

transient_bodies! {
    /// A turn begins to run.
    RuntimeStart(RuntimeStart) = "runtime_start";
    /// A turn has ended; its `turn_outcome` follows.
    RuntimeEnd(RuntimeEnd) = "runtime_end";
    /// A model call begins.
    TurnStart(TurnStart) = "turn_start";
    /// A model call and its tools are done.
    TurnEnd(TurnEnd) = "turn_end";
    /// The model begins to answer.
    MessageStart(MessageStart) = "message_start";
    /// More text.
    TextDelta(TextDelta) = "text_delta";
    /// More reasoning.
    ThinkingDelta(ThinkingDelta) = "thinking_delta";
    /// More of a tool call's arguments.
    ToolCallDelta(ToolCallDelta) = "tool_call_delta";
    /// A message that had begun will not come.
    MessageCancelled(MessageCancelled) = "message_cancelled";
    /// A tool begins to run.
    ToolExecutionStart(ToolExecutionStart) = "tool_execution_start";
    /// What a running tool shows.
    ToolExecutionUpdate(ToolExecutionUpdate) = "tool_execution_update";
    /// A tool has ended; its result follows as a `message`.
    ToolExecutionEnd(ToolExecutionEnd) = "tool_execution_end";
}

/// The body of `runtime_start`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeStart {}

/// The body of `runtime_end`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeEnd {
    /// How the turn ended.
    pub reason: OutcomeReason,
    /// What went wrong, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The body of `turn_start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStart {
    /// The number of the model call within the turn, from 0.
    pub turn_index: u32,
}

/// The body of `turn_end`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnEnd {
    /// The number of the model call within the turn, from 0.
    pub turn_index: u32,
    /// What the call used, where the provider said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why the model stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
}

/// The body of `message_start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageStart {
    /// The id that the finished `message` will have.
    pub event_id: EventId,
    /// The event that it will follow.
    pub parent_id: Option<EventId>,
    /// Who speaks.
    pub role: Role,
    /// The model that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The body of `text_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextDelta {
    /// The message.
    pub event_id: EventId,
    /// The block within the message, from 0.
    pub block_index: u32,
    /// The text to add.
    pub delta: String,
    /// In a merged event: the number of the first delta in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_seq: Option<Seq>,
}

/// The body of `thinking_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingDelta {
    /// The message.
    pub event_id: EventId,
    /// The block within the message, from 0.
    pub block_index: u32,
    /// The text to add.
    pub delta: String,
    /// In a merged event: the number of the first delta in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_seq: Option<Seq>,
}

/// The body of `tool_call_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallDelta {
    /// The message.
    pub event_id: EventId,
    /// The block within the message, from 0.
    pub block_index: u32,
    /// The call.
    pub tool_call_id: String,
    /// The tool, in the first delta of a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The text to add to the arguments' JSON.
    pub delta: String,
    /// In a merged event: the number of the first delta in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_seq: Option<Seq>,
}

/// The body of `message_cancelled`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageCancelled {
    /// The id that will not come.
    pub event_id: EventId,
    /// Why.
    pub reason: MessageCancelReason,
}

/// Why a message that had begun will not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageCancelReason {
    /// Somebody cancelled.
    UserCancel,
    /// The model call failed.
    Error,
    /// The answer had no room.
    MaxTokens,
}

/// The body of `tool_execution_start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolExecutionStart {
    /// The id that the tool's result will have.
    pub event_id: EventId,
    /// The event that the result will follow; `null` while an earlier result is missing.
    pub parent_id: Option<EventId>,
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The arguments.
    pub args: Value,
}

/// The body of `tool_execution_update`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolExecutionUpdate {
    /// The id that the tool's result will have.
    pub event_id: EventId,
    /// The call.
    pub tool_call_id: String,
    /// What the tool shows now. It replaces the update before.
    pub partial: Value,
}

/// The body of `tool_execution_end`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolExecutionEnd {
    /// The id that the tool's result will have.
    pub event_id: EventId,
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// How long the call ran, in milliseconds.
    pub duration_ms: u64,
    /// Whether the call failed.
    pub is_error: bool,
}
