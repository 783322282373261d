//! Results of calls in the words of Claude Code, and back.

use scorel_engine::ToolOutcome;
use scorel_proto::Block;
use serde_json::{Map, Value, json};

use super::claude::CallView;

/// The longest text of a result that a command gets, in bytes.
const MAX_TEXT: usize = 256 * 1024;

/// The part of a command's input about a call that has run.
pub(super) fn told(tool: &str, view: &CallView, outcome: &ToolOutcome) -> Map<String, Value> {
    let text = text(outcome);
    let mut fields = Map::new();
    if outcome.is_error {
        fields.insert("error".to_owned(), text.into());
        fields.insert("is_interrupt".to_owned(), false.into());
        return fields;
    }
    let path = view.input.get("file_path").cloned().unwrap_or_default();
    let response = match tool {
        "Bash" => json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false}),
        "Write" | "Edit" => json!({"filePath": path, "success": true, "content": text}),
        _ => json!({"content": text}),
    };
    fields.insert("tool_response".to_owned(), response);
    fields
}

fn text(outcome: &ToolOutcome) -> String {
    let mut text = Block::plain_text_of(&outcome.content);
    let end = (0..=MAX_TEXT.min(text.len())).rev();
    let end = end.into_iter().find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or_default());
    text
}

/// The content of a result that a command has replaced.
pub(super) fn replaced(output: &Value) -> Vec<Block> {
    let content = output.get("content").and_then(Value::as_str);
    let stdout = output.get("stdout").and_then(Value::as_str);
    let text = output.as_str().or(content).or(stdout);
    vec![Block::text(
        text.map_or_else(|| output.to_string(), str::to_owned),
    )]
}

/// A text for the model behind a result.
pub(super) fn remark(hook: &str, text: &str) -> Block {
    Block::text(format!("\n[hook {hook}] {text}"))
}
