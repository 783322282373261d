//! Messages: what a person, the model and the tools say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Block, ToolResultBlock, Usage};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What a person, or a program in their place, says.
    User(UserMessage),
    /// What the model answers.
    Assistant(AssistantMessage),
    /// What a tool answers.
    ToolResult(ToolResultMessage),
    /// What the daemon tells the model.
    Internal(InternalMessage),
}

impl Message {
    /// A message of a person with one text block.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(UserMessage {
            content: vec![Block::text(text)],
            meta: Meta::default(),
        })
    }

    /// The name of the role, as on the wire.
    #[must_use]
    pub const fn role(&self) -> Role {
        match self {
            Self::User(_) => Role::User,
            Self::Assistant(_) => Role::Assistant,
            Self::ToolResult(_) => Role::ToolResult,
            Self::Internal(_) => Role::Internal,
        }
    }
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A person, or a program in their place.
    User,
    /// The model.
    Assistant,
    /// A tool.
    ToolResult,
    /// The daemon.
    Internal,
}

/// A message of a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserMessage {
    /// What was said.
    pub content: Vec<Block>,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// A message of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// Text, reasoning and tool calls, in the order in which the model gave them.
    pub content: Vec<Block>,
    /// The model that answered.
    pub model: String,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// What the call used, where the provider said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether the answer was cut off. Its tool calls were dropped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// What the provider needs back, and where the message came from.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

impl AssistantMessage {
    /// The tool calls in the message, in order: id, name and block.
    pub fn tool_uses(&self) -> impl Iterator<Item = &Block> {
        self.content
            .iter()
            .filter(|block| matches!(block, Block::ToolUse { .. }))
    }
}

/// A message of a tool: the answer to exactly one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultMessage {
    /// The answer.
    pub content: [ToolResultContent; 1],
    /// The name of the tool.
    pub tool_name: String,
    /// How long the call ran, in milliseconds. Zero if it never started.
    pub duration_ms: u64,
    /// Where the message came from.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

impl ToolResultMessage {
    /// Wraps the answer to one call.
    #[must_use]
    pub fn new(tool_name: impl Into<String>, result: ToolResultBlock, duration_ms: u64) -> Self {
        Self {
            content: [ToolResultContent::ToolResult(result)],
            tool_name: tool_name.into(),
            duration_ms,
            meta: Meta::default(),
        }
    }

    /// The answer.
    #[must_use]
    pub const fn result(&self) -> &ToolResultBlock {
        let [ToolResultContent::ToolResult(result)] = &self.content;
        result
    }
}

/// The one kind of block that a tool's message holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolResultContent {
    /// The answer to a `tool_use`.
    ToolResult(ToolResultBlock),
}

/// A message of the daemon to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InternalMessage {
    /// What the model is told.
    pub content: Vec<Block>,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// Facts about a message that are not its content.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Meta {
    /// How a user message came in, when it did not start a turn by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<MessageSource>,
    /// What the provider needs back in later requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Value>,
}

impl Meta {
    /// Whether there is nothing to say.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.source.is_none() && self.provider.is_none()
    }
}

/// How a user message came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MessageSource {
    /// Said while the turn ran; the model reads it within the turn.
    Steer,
    /// Queued while a turn ran; it started a turn of its own.
    FollowUp,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It had finished.
    EndTurn,
    /// It waits for the answers to its tool calls.
    ToolUse,
    /// It reached its limit of output tokens.
    MaxTokens,
    /// It refused.
    Refusal,
    /// The provider's filter stopped it.
    ContentFilter,
    /// The provider paused a long answer; the next request continues it.
    Pause,
    /// The call failed after it had begun to answer.
    Error,
    /// Somebody cancelled.
    Cancelled,
    /// The daemon stopped in the middle.
    Interrupted,
}
