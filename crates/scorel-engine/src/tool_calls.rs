use std::time::Duration;

use scorel_proto::{AssistantMessage, Block, ToolResultBlock, ToolResultMessage};

use crate::{EngineEvent, ToolCall, ToolOutcome};

/// The tool calls of an answer, in the order of its blocks.
pub fn tool_calls(message: &AssistantMessage) -> Vec<ToolCall> {
    message.tool_uses().filter_map(tool_call).collect()
}

fn tool_call(block: &Block) -> Option<ToolCall> {
    match block {
        Block::ToolUse {
            id,
            name,
            input,
            invalid_input,
            ..
        } => Some(ToolCall {
            id: id.clone(),
            name: name.clone(),
            input: input.clone(),
            invalid_input: invalid_input.clone(),
        }),
        _ => None,
    }
}

pub(crate) fn tool_ended(call: &ToolCall, is_error: bool, duration: Duration) -> EngineEvent {
    EngineEvent::ToolExecutionEnd {
        call_id: call.id.clone(),
        name: call.name.clone(),
        duration,
        is_error,
    }
}

pub(crate) fn tool_result(
    call: &ToolCall,
    outcome: ToolOutcome,
    duration: Duration,
) -> EngineEvent {
    let result = ToolResultBlock {
        tool_use_id: call.id.clone(),
        content: outcome.content,
        is_error: outcome.is_error,
        details: outcome.details,
    };
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    EngineEvent::ToolResult {
        message: ToolResultMessage::new(&call.name, result, millis),
        recorded: *outcome.recorded,
    }
}
