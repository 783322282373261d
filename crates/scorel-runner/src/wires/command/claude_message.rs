//! Messages of Claude Code that a command passes on.

use scorel_engine::{RunnerEvent, RunnerSpent};
use scorel_proto::Usage;
use serde_json::Value;

use super::super::claude_blocks::{blocks, call, call_end};
use super::super::json::number;
use crate::exchange::Exchange;

pub(super) fn assistant(content: Option<String>, raw: &Value, out: &mut Exchange) {
    if let Some(delta) = content {
        out.event(RunnerEvent::Text { delta });
        out.event(RunnerEvent::PartEnd);
    }
    for block in blocks(raw)
        .iter()
        .filter(|block| block["type"] == "tool_use")
    {
        out.event(call(block));
    }
}

pub(super) fn user(raw: &Value, out: &mut Exchange) {
    for block in blocks(raw)
        .iter()
        .filter(|block| block["type"] == "tool_result")
    {
        out.event(call_end(block));
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
