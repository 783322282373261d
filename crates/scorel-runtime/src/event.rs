use std::time::Duration;

use scorel_proto::{
    AssistantMessage, MessageCancelReason, OutcomeReason, StopReason, ToolResultMessage, TurnError,
    Usage,
};
use serde_json::Value;

use crate::ToolCall;

/// One thing that happened in a turn, without numbers, ids or time.
#[derive(Debug, Clone, PartialEq)]
pub enum RawRuntimeEvent {
    /// A model call begins.
    TurnStart {
        /// Its number within the turn, from 0.
        index: u32,
    },
    /// The model begins to answer.
    MessageStart {
        /// The model that answers.
        model: String,
    },
    /// More text.
    TextDelta {
        /// Which block of the message.
        block: u32,
        /// The text to add.
        delta: String,
    },
    /// More reasoning.
    ThinkingDelta {
        /// Which block of the message.
        block: u32,
        /// The text to add.
        delta: String,
    },
    /// More of a tool call.
    ToolCallDelta {
        /// Which block of the message.
        block: u32,
        /// The call.
        call_id: String,
        /// The tool, in the first delta of a call.
        name: Option<String>,
        /// The text to add to the arguments' JSON.
        delta: String,
    },
    /// The message is done. To be written before the next step is asked for.
    MessageEnd {
        /// The message.
        message: AssistantMessage,
    },
    /// A message that had begun will not come.
    MessageCancelled {
        /// Why.
        reason: MessageCancelReason,
    },
    /// A tool runs as soon as the next step is asked for.
    ToolExecutionStart {
        /// The call.
        call: ToolCall,
    },
    /// What a running tool shows now.
    ToolExecutionUpdate {
        /// The call.
        call_id: String,
        /// The output; it replaces the one before.
        partial: Value,
    },
    /// A tool has ended. Its result follows once those of the calls before it are out.
    ToolExecutionEnd {
        /// The call.
        call_id: String,
        /// The tool.
        name: String,
        /// How long it ran.
        duration: Duration,
        /// Whether it failed.
        is_error: bool,
    },
    /// The result of a call, in call order. To be written before the next step is asked for.
    ToolResult {
        /// The message.
        message: ToolResultMessage,
    },
    /// A model call and its tools are done.
    TurnEnd {
        /// Its number within the turn, from 0.
        index: u32,
        /// What the call used, where the provider said so.
        usage: Option<Usage>,
        /// Why the model stopped.
        stop_reason: Option<StopReason>,
    },
    /// The turn waits for the provider. To be written before the next step is asked for.
    Waiting {
        /// How long.
        duration: Duration,
        /// What for, in words.
        reason: String,
    },
    /// The turn goes on after waiting.
    Resumed,
}

/// How a turn ended, as the engine sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    /// How it ended.
    pub reason: OutcomeReason,
    /// What went wrong.
    pub error: Option<TurnError>,
    /// What the model calls used.
    pub usage: Usage,
    /// How many model calls were made.
    pub steps: u32,
}
