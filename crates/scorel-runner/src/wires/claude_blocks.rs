//! The blocks of Claude's messages, which Claude Code writes and commands pass on.

use scorel_engine::{RunnerCallEnd, RunnerEvent, ToolCall};
use serde_json::Value;

use super::json::{elements, owned, text, text_block};

pub(super) fn blocks(message: &Value) -> &[Value] {
    elements(&message["message"]["content"])
}

/// The call of a `tool_use`.
pub(super) fn call(block: &Value) -> RunnerEvent {
    RunnerEvent::Call(ToolCall {
        id: owned(block, "id"),
        name: owned(block, "name"),
        input: block["input"].clone(),
        invalid_input: None,
    })
}

/// The end of a call, from its `tool_result`.
pub(super) fn call_end(block: &Value) -> RunnerEvent {
    RunnerEvent::CallEnd(RunnerCallEnd {
        call_id: owned(block, "tool_use_id"),
        is_error: block["is_error"] == true,
        content: text_block(result_text(&block["content"])),
        details: None,
    })
}

/// The content of a result as text: Claude writes a text, or blocks.
fn result_text(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let part = |block: &Value| match text(block, "type") {
        "text" => owned(block, "text"),
        other => format!("[{other}]"),
    };
    let parts: Vec<String> = elements(content).iter().map(part).collect();
    parts.join("\n")
}
