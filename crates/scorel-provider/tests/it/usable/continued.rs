use scorel_proto::{
    AssistantMessage, Block, Message, StopReason, ToolResultBlock, ToolResultMessage,
};

/// An answer and what follows it: the results of its calls, or another message.
pub(super) fn continued(answer: AssistantMessage) -> Vec<Message> {
    let paused = answer.stop_reason == StopReason::Pause;
    let results: Vec<Message> = answer.tool_uses().map(result).collect();
    let mut messages = vec![Message::Assistant(answer)];
    if results.is_empty() && !paused {
        messages.push(Message::user("go on"));
    }
    messages.extend(results);
    messages
}

fn result(call: &Block) -> Message {
    let Block::ToolUse { id, name, .. } = call else {
        unreachable!("a call is a call")
    };
    let result = ToolResultBlock::error(id.clone(), "there is no such tool");
    Message::ToolResult(ToolResultMessage::new(name.clone(), result, 1))
}
