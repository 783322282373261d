//! Blocks of the tools that Anthropic runs itself, in the messages of a model.

use std::collections::HashSet;

use serde_json::Value;

use crate::wire::text_of;

/// Removes uses without a result and results without a use. The API rejects either: a reply that was
/// cut off or cancelled in between would make every later request fail. The results of a reply that is
/// still to be continued may come (`is_open`).
pub(super) fn keep_pairs(blocks: &mut Vec<Value>, is_open: bool) {
    let ids = |id: fn(&Value) -> Option<&str>| -> HashSet<String> {
        blocks.iter().filter_map(id).map(str::to_owned).collect()
    };
    let (used, answered) = (ids(use_id), ids(result_id));
    blocks.retain(|block| {
        let kept = is_open || use_id(block).is_none_or(|id| answered.contains(id));
        kept && result_id(block).is_none_or(|id| used.contains(id))
    });
}

fn use_id(block: &Value) -> Option<&str> {
    let used = matches!(text_of(&block["type"]), "server_tool_use" | "mcp_tool_use");
    used.then(|| text_of(&block["id"]))
}

fn result_id(block: &Value) -> Option<&str> {
    let kind = text_of(&block["type"]);
    kind.ends_with("_tool_result")
        .then(|| text_of(&block["tool_use_id"]))
}
