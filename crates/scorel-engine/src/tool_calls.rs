use scorel_proto::{AssistantMessage, Block};

use crate::ToolCall;

/// The tool calls of an answer, in the order of its blocks.
#[must_use]
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
