//! Messages of Claude Code that a command passes on.

use scorel_engine::{RunnerCallEnd, RunnerEvent, RunnerSpent, ToolCall};
use scorel_proto::Usage;
use serde_json::Value;

use super::super::json::{number, owned, text_block};
use crate::exchange::Exchange;

pub(super) fn assistant(content: Option<String>, raw: &Value, out: &mut Exchange) {
    if let Some(delta) = content {
        out.event(RunnerEvent::Text { delta });
        out.event(RunnerEvent::PartEnd);
    }
    for block in blocks(raw).filter(|block| block["type"] == "tool_use") {
        out.event(RunnerEvent::Call(ToolCall {
            id: owned(block, "id"),
            name: owned(block, "name"),
            input: block["input"].clone(),
            invalid_input: None,
        }));
    }
}

pub(super) fn user(raw: &Value, out: &mut Exchange) {
    for block in blocks(raw).filter(|block| block["type"] == "tool_result") {
        out.event(RunnerEvent::CallEnd(RunnerCallEnd {
            call_id: owned(block, "tool_use_id"),
            is_error: block["is_error"] == true,
            content: text_block(block["content"].as_str().unwrap_or_default()),
        }));
    }
}

pub(super) fn result(raw: &Value, out: &mut Exchange) {
    let usage = &raw["usage"];
    out.event(RunnerEvent::Spent(RunnerSpent {
        usage: Usage {
            input_tokens: number(usage, "input_tokens"),
            output_tokens: number(usage, "output_tokens"),
            ..Usage::default()
        },
        cost: None,
    }));
}

fn blocks(raw: &Value) -> impl Iterator<Item = &Value> {
    raw["message"]["content"].as_array().into_iter().flatten()
}
