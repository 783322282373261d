//! Results as JSON texts.

use scorel_engine::ToolOutcome;
use scorel_proto::Block;
use scorel_tools::ToolError;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A success: the text is the JSON of `result`; `details` are for user interfaces and records.
pub(crate) fn success(result: &impl Serialize, details: &impl Serialize) -> ToolOutcome {
    let text = serde_json::to_string(result);
    let text = text.expect("a result has texts, numbers, lists and records only");
    ToolOutcome {
        content: vec![Block::text(text)],
        ..ToolOutcome::success("", details)
    }
}

/// Advice of errors that the tools share, and that of these tools.
const ADVICE: [(&str, &str); 3] = [
    ("find files with Glob", "see what is there with fs_list"),
    (
        "list it with Glob, pattern `*` and this path",
        "list it with fs_list",
    ),
    ("Read it again", "read it again with fs_read"),
];

/// A failure, the text of which is the JSON of the error.
pub(crate) fn failure(error: ToolError) -> ToolOutcome {
    let mut message = error.message;
    for (of_others, own) in ADVICE {
        message = message.replace(of_others, own);
    }
    told(error.code.as_str(), &message, error.details)
}

/// The answer to a call of a tool that the current node does not allow.
pub(crate) fn not_allowed(tool: &str, node: Option<&str>, allowed: &[&str]) -> ToolOutcome {
    let place = node.map_or_else(|| "here".to_owned(), |node| format!("at the node `{node}`"));
    let listed = match allowed {
        [] => "no tool".to_owned(),
        tools => tools.join(", "),
    };
    let message = format!("`{tool}` may not be used {place}; allowed: {listed}");
    let details = json!({ "node": node, "allowed": allowed });
    let details = details.as_object().cloned().unwrap_or_default();
    told("E_TOOL_NOT_ALLOWED", &message, details)
}

fn told(code: &str, message: &str, details: Map<String, Value>) -> ToolOutcome {
    let failed = ToolOutcome::failure(code, message, details);
    let text = failed.details.as_ref().map(Value::to_string);
    ToolOutcome {
        content: vec![Block::text(text.unwrap_or_default())],
        ..failed
    }
}
