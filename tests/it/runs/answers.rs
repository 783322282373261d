//! Answers of the model in a run, and what its requests tell it.

use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};

/// The document as tools name it.
pub(super) const DOCUMENT: &str = "@state/workflow.md";

/// One call of a tool, and nothing else.
pub(super) fn calls(name: &str, input: &Value) -> ScriptedChat {
    ScriptedChat::default()
        .tool_call("call_1", name, &input.to_string())
        .finish("tool_calls")
}

/// A call that changes values of the document.
pub(super) fn patches(update: &Value) -> ScriptedChat {
    let patch = json!({"path": DOCUMENT, "operation": "updateFrontmatter", "update": update});
    calls("fs_apply_patch", &patch)
}

/// A call that completes a node and goes to another.
pub(super) fn leaves(node: &str, to: &str) -> ScriptedChat {
    patches(&json!({"stepsCompleted": {"append": [node]}, "currentNodeId": {"set": to}}))
}

/// A call that completes an end.
pub(super) fn ends(node: &str) -> ScriptedChat {
    patches(&json!({"stepsCompleted": {"append": [node]}}))
}

/// A call that reads the document, which a change of it needs.
pub(super) fn reads_document() -> ScriptedChat {
    calls("fs_read", &json!({"path": DOCUMENT}))
}

/// The results of calls in a request, as texts.
pub(super) fn results(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter();
    let results = messages.filter(|it| it["role"] == "tool");
    results.map(|it| text_of(&it["content"])).collect()
}

/// The texts of the messages of a user in a request.
pub(super) fn said_by_user(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter();
    let users = messages.filter(|it| it["role"] == "user");
    users.map(|it| text_of(&it["content"])).collect()
}

pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
