//! What tools have done, for a summary that takes the place of their calls.

use std::collections::HashMap;

use scorel_proto::{Block, CompactionFacts, Context, Message};
use serde_json::Value;

/// The tools whose calls name a file that they change.
const CHANGING: [&str; 2] = ["Write", "Edit"];

/// The facts that the messages hold. `processes` are the commands that run in the background now.
pub fn compaction_facts(messages: &Context, processes: Vec<String>) -> CompactionFacts {
    let mut facts = CompactionFacts {
        processes,
        ..CompactionFacts::default()
    };
    // Ids are unique within an answer, and results follow their answer.
    let mut calls: HashMap<&str, (&str, &Value)> = HashMap::new();
    for message in messages {
        match message {
            Message::Assistant(answer) => {
                calls.clear();
                for block in &answer.content {
                    if let Block::ToolUse {
                        id, name, input, ..
                    } = block
                    {
                        calls.insert(id, (name, input));
                    }
                }
            }
            Message::ToolResult(message) if !message.result().is_error => {
                let id = message.result().tool_use_id.as_str();
                if let Some((name, input)) = calls.get(id) {
                    add(&mut facts, name, input);
                }
            }
            Message::ToolResult(_) | Message::User(_) | Message::Internal(_) => {}
        }
    }
    facts
}

fn add(facts: &mut CompactionFacts, tool: &str, input: &Value) {
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    match tool {
        "Todo" => facts.todos = todos(input),
        "Skill" => facts.skills.extend(text("name")),
        _ if CHANGING.contains(&tool) => {
            if let Some(path) = text("path") {
                facts.files.retain(|known| *known != path);
                facts.files.push(path);
            }
        }
        _ => {}
    }
}

fn todos(input: &Value) -> Vec<String> {
    let items = input.get("items").and_then(Value::as_array);
    let item = |item: &Value| {
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        Some(format!("[{}] {}", text("status")?, text("content")?))
    };
    items.into_iter().flatten().filter_map(item).collect()
}

#[cfg(test)]
mod tests {
    use scorel_proto::{AssistantMessage, Meta, StopReason, ToolResultBlock, ToolResultMessage};
    use serde_json::json;

    use super::*;

    fn called(name: &str, input: Value, is_error: bool) -> [Message; 2] {
        let call = Block::ToolUse {
            id: "c".to_owned(),
            name: name.to_owned(),
            input,
            invalid_input: None,
            provider: None,
        };
        let answer = Message::Assistant(AssistantMessage {
            content: vec![call],
            model: "m".to_owned(),
            stop_reason: StopReason::ToolUse,
            usage: None,
            cost: None,
            partial: false,
            meta: Meta::default(),
        });
        let mut result = ToolResultBlock::error("c", "done");
        result.is_error = is_error;
        [
            answer,
            Message::ToolResult(ToolResultMessage::new(name, result, 1)),
        ]
    }

    #[test]
    fn facts_are_those_of_calls_that_succeeded() {
        let todo = |status: &str| json!({"items": [{"content": "parse", "status": status}]});
        let messages: Context = [
            called("Write", json!({"path": "a.rs", "content": ""}), false),
            called("Edit", json!({"path": "b.rs", "edits": []}), false),
            called("Edit", json!({"path": "c.rs", "edits": []}), true),
            called("Read", json!({"path": "d.rs"}), false),
            called("Edit", json!({"path": "a.rs", "edits": []}), false),
            called("Todo", todo("pending"), false),
            called("Todo", todo("completed"), false),
            called("Skill", json!({"name": "release"}), false),
        ]
        .into_iter()
        .flatten()
        .collect();
        let facts = compaction_facts(&messages, vec!["bash_1: make".to_owned()]);
        assert_eq!(facts.files, ["b.rs", "a.rs"]);
        assert_eq!(facts.todos, ["[completed] parse"]);
        assert_eq!(facts.skills, ["release"]);
        assert_eq!(facts.processes, ["bash_1: make"]);
    }
}
