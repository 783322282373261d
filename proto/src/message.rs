//! Messages of users, the model, tools and the daemon.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    AgentTaskId, Block, Cost, MessageChannel, MessageRunner, RequestProof, RunMode,
    ToolResultBlock, Usage,
};

/// One message of a conversation, by its author.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// A message from a client.
    User(UserMessage),
    /// An answer of the model.
    Assistant(AssistantMessage),
    /// The result of one tool call.
    ToolResult(ToolResultMessage),
    /// A message from the daemon to the model.
    Internal(InternalMessage),
}

impl Message {
    /// A user message with one text block.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(UserMessage {
            content: vec![Block::text(text)],
            meta: Meta::default(),
        })
    }

    /// The blocks that it consists of; of a tool result, those of the result.
    pub fn content(&self) -> &[Block] {
        match self {
            Self::User(message) => &message.content,
            Self::Assistant(message) => &message.content,
            Self::ToolResult(message) => &message.result().content,
            Self::Internal(message) => &message.content,
        }
    }

    /// The data that came with it besides its content.
    pub const fn meta(&self) -> &Meta {
        match self {
            Self::User(message) => &message.meta,
            Self::Assistant(message) => &message.meta,
            Self::ToolResult(message) => &message.meta,
            Self::Internal(message) => &message.meta,
        }
    }

    /// The runner that it comes from; `None` for a message of a client, the daemon or a model of ours.
    pub const fn runner(&self) -> Option<&MessageRunner> {
        self.meta().runner.as_ref()
    }

    /// The value of `role` on the wire.
    pub const fn role(&self) -> Role {
        match self {
            Self::User(_) => Role::User,
            Self::Assistant(_) => Role::Assistant,
            Self::ToolResult(_) => Role::ToolResult,
            Self::Internal(_) => Role::Internal,
        }
    }
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A client.
    User,
    /// The model.
    Assistant,
    /// A tool.
    ToolResult,
    /// The daemon.
    Internal,
}

/// A message from a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserMessage {
    /// The content.
    pub content: Vec<Block>,
    /// The way by which the message arrived; absent if it started a turn directly.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// An answer of the model: one model call.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// Text, reasoning and tool calls, in the order in which the model produced them.
    pub content: Vec<Block>,
    /// The model, as `provider:id`; of a runner or an import, as that names it.
    pub model: String,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// The tokens used; absent if the provider does not report them.
    pub usage: Option<Usage>,
    /// The cost of the call; absent if that is not known.
    pub cost: Option<Cost>,
    /// True if the answer was cut off, by an error, a cancellation or a crash. Its tool calls were dropped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Opaque provider data for later requests, and the runner that wrote it.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

impl AssistantMessage {
    /// The `tool_use` blocks of the message, in order.
    pub fn tool_uses(&self) -> impl Iterator<Item = &Block> {
        self.content
            .iter()
            .filter(|block| matches!(block, Block::ToolUse { .. }))
    }
}

/// The result of exactly one tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultMessage {
    /// The result: exactly one block.
    pub content: [ToolResultContent; 1],
    /// The name of the tool.
    pub tool_name: String,
    /// The duration of the call in milliseconds; 0 if it never started.
    pub duration_ms: u64,
    /// The runner that executed the call; absent for a call that the daemon executed.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

impl ToolResultMessage {
    /// Wraps the result of one call.
    pub fn new(tool_name: impl Into<String>, result: ToolResultBlock, duration_ms: u64) -> Self {
        Self {
            content: [ToolResultContent::ToolResult(result)],
            tool_name: tool_name.into(),
            duration_ms,
            meta: Meta::default(),
        }
    }

    /// The result: exactly one block.
    pub const fn result(&self) -> &ToolResultBlock {
        let [ToolResultContent::ToolResult(result)] = &self.content;
        result
    }
}

/// The block of a tool's message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolResultContent {
    /// The result of a tool call.
    ToolResult(ToolResultBlock),
}

/// A message from the daemon to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InternalMessage {
    /// The content.
    pub content: Vec<Block>,
    /// The way by which the message arrived; absent if it started a turn directly.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// Metadata of a message.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The way by which a user message arrived; absent if it started a turn directly.
    pub source: Option<MessageSource>,
    /// Opaque provider data that must accompany this message in later requests.
    pub provider: Option<Value>,
    /// The runner that wrote an answer, or executed the call of a result. A model that the
    /// daemon calls gets such messages as text.
    pub runner: Option<MessageRunner>,
    /// The runtime whose result a user message holds.
    pub runtime_id: Option<AgentTaskId>,
    /// The channel that a user message came through.
    pub channel: Option<Box<MessageChannel>>,
    /// In a workflow run: the purpose of a user message, if it has one of its own.
    pub mode: Option<RunMode>,
    /// In a workflow run: what the request was that a model's answer answers.
    pub request: Option<Box<RequestProof>>,
}

impl Meta {
    /// Returns whether all fields are absent; the whole object is then omitted.
    pub const fn is_empty(&self) -> bool {
        self.source.is_none()
            && self.provider.is_none()
            && self.runner.is_none()
            && self.runtime_id.is_none()
            && self.channel.is_none()
            && self.mode.is_none()
            && self.request.is_none()
    }
}

/// The way by which a user message arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MessageSource {
    /// Sent while the turn ran, and read by the model within that turn.
    Steer,
    /// Queued while another turn ran; it started a turn of its own.
    FollowUp,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It completed its answer.
    EndTurn,
    /// It waits for the results of its tool calls.
    ToolUse,
    /// It reached the limit of output tokens.
    MaxTokens,
    /// It refused to answer.
    Refusal,
    /// The provider's content filter stopped it.
    ContentFilter,
    /// The provider paused a long answer; the next request continues it.
    Pause,
    /// The model call failed after the answer had begun.
    Error,
    /// A client cancelled the turn.
    Cancelled,
    /// The daemon stopped or crashed during the answer.
    Interrupted,
}
