use scorel_proto::{Block, Message, PersistentBody, PersistentEvent, ToolResultBlock};
use serde_json::{Value, json};

use super::HookScene;
use super::call_input::views;
use super::tool_words::their_tool;

/// A record as a line of their transcripts; `None` if they have none for it.
pub fn transcript_line(scene: &HookScene, event: &PersistentEvent) -> Option<String> {
    let PersistentBody::Message(body) = &event.body else {
        return None;
    };
    let kind = match &body.message {
        Message::User(_) | Message::ToolResult(_) => "user",
        Message::Assistant(_) => "assistant",
        // Theirs tells a model such things without a message.
        Message::Internal(_) => return None,
    };
    let content = match &body.message {
        Message::ToolResult(message) => vec![result(message.result())],
        message => content(scene, message.content()),
    };
    let mut message = json!({"role": kind, "content": content});
    if let Message::Assistant(answer) = &body.message {
        message["model"] = answer.model.as_str().into();
    }
    let timestamp = i64::try_from(event.ts).ok();
    let timestamp = timestamp.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    let line = json!({
        "type": kind,
        "message": message,
        "uuid": event.id,
        "parentUuid": event.parent_id,
        "timestamp": timestamp.map(|it| it.to_string()),
        "sessionId": scene.session_id,
        "cwd": scene.directory,
        "isSidechain": false,
    });
    Some(line.to_string())
}

fn result(block: &ToolResultBlock) -> Value {
    json!({
        "type": "tool_result",
        "tool_use_id": block.tool_use_id,
        "content": Block::plain_text_of(&block.content),
        "is_error": block.is_error,
    })
}

fn content(scene: &HookScene, blocks: &[Block]) -> Vec<Value> {
    let block = |block: &Block| match block {
        Block::Text { text, .. } => Some(json!({"type": "text", "text": text})),
        Block::Thinking { text, .. } => Some(json!({"type": "thinking", "thinking": text})),
        Block::ToolUse {
            id, name, input, ..
        } => {
            // A call that they have no words for is shown in ours.
            let input = match views(name, input, &scene.directory).as_slice() {
                [view] => Value::Object(view.input.clone()),
                _ => input.clone(),
            };
            Some(json!({"type": "tool_use", "id": id, "name": their_tool(name), "input": input}))
        }
        Block::ToolResult(block) => Some(result(block)),
        Block::Image { .. } | Block::Blob { .. } | Block::Attachment(_) => {
            let text = Block::plain_text_of(std::slice::from_ref(block));
            (!text.is_empty()).then(|| json!({"type": "text", "text": text}))
        }
    };
    blocks.iter().filter_map(block).collect()
}
