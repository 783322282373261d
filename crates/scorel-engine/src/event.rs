use std::time::Duration;

use scorel_proto::{
    AssistantMessage, Cost, CostTotal, FileBefore, MessageCancelReason, OutcomeReason,
    RecordedFiles, StopReason, ToolResultMessage, TurnError, Usage,
};
use serde_json::Value;

use crate::ToolCall;

/// An event of a turn as the engine produces it. The session adds ids, `seq` and time.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineEvent {
    TurnStart {
        /// Its number within the turn, from 0.
        index: u32,
    },
    MessageStart {
        model: String,
    },
    TextDelta {
        /// Which block of the message.
        block: u32,
        delta: String,
    },
    ThinkingDelta {
        /// Which block of the message.
        block: u32,
        delta: String,
    },
    ToolCallDelta {
        /// Which block of the message.
        block: u32,
        call_id: String,
        /// The tool, in the first delta of a call.
        name: Option<String>,
        /// The text to add to the arguments' JSON.
        delta: String,
    },
    /// The message is complete. Must be durable before the next step.
    MessageEnd {
        message: AssistantMessage,
    },
    /// A started message will not be completed.
    MessageCancelled {
        reason: MessageCancelReason,
    },
    /// A model call was charged and leaves no message. Must be durable before the next step.
    CallCharged {
        model: String,
        usage: Usage,
        /// `None` if it is not known.
        cost: Option<Cost>,
    },
    /// A tool runs with the next step. Must be durable before.
    ToolExecutionStart {
        call: ToolCall,
        /// The files that it may change, as they are.
        files: Vec<FileBefore>,
        /// The hooks that changed its arguments.
        changed_by: Vec<String>,
    },
    /// A running tool's latest output.
    ToolExecutionUpdate {
        call_id: String,
        /// Replaces the output before.
        partial: Value,
    },
    /// A tool has ended. Its result follows those of the calls before it.
    ToolExecutionEnd {
        call_id: String,
        name: String,
        duration: Duration,
        is_error: bool,
    },
    /// The result of a call, in call order. Must be durable before the next step.
    ToolResult {
        message: ToolResultMessage,
        /// The files that the call changed.
        recorded: RecordedFiles,
    },
    /// A model call and its tools have ended.
    TurnEnd {
        /// Its number within the turn, from 0.
        index: u32,
        /// What the call used, where the provider said so.
        usage: Option<Usage>,
        stop_reason: Option<StopReason>,
    },
    /// A model call failed before it showed anything, and is made again soon.
    Retrying {
        /// Which attempt failed, from 1.
        attempt: u32,
        error: TurnError,
        delay: Duration,
    },
    /// The turn waits for a rate limit. Must be durable before the next step, which is
    /// [`TurnStep::Suspended`](crate::TurnStep::Suspended).
    Waiting {
        /// Which wait of the turn it is, from 1.
        wait: u32,
        duration: Duration,
        reason: String,
    },
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    pub reason: OutcomeReason,
    pub error: Option<TurnError>,
    /// What the model calls used.
    pub usage: Usage,
    /// What they cost.
    pub cost: CostTotal,
    /// How many model calls were made.
    pub steps: u32,
}
