//! The text in which a model of ours reads a runner's messages. The model has other tools, and calls that it
//! did not make are not calls of its own: they become text.

use super::{LlmAction, excerpt};
use crate::tags::{reminder, without_our_tags};
use crate::{AssistantMessage, Block, Message, Meta, StopReason, ToolResultMessage};

/// The part of a result that the model gets.
const RESULT_BYTES: usize = 2 * 1024;

/// The part of a call's arguments that the model gets.
const INPUT_BYTES: usize = 512;

/// A message of the runner `name`, as text.
pub(super) fn runner_message_to_llm(message: &Message, name: &str) -> LlmAction {
    match message {
        Message::Assistant(answer) => answer_to_llm(answer, name),
        Message::ToolResult(result) => LlmAction::Include(Message::user(result_text(result, name))),
        Message::User(_) | Message::Internal(_) => LlmAction::Include(message.clone()),
    }
}

/// Its text, and a line for each call. Its reasoning is of no use to another model, and its usage says
/// nothing about a request of ours.
fn answer_to_llm(answer: &AssistantMessage, name: &str) -> LlmAction {
    let lines = answer.content.iter().filter_map(|block| match block {
        Block::Thinking { .. } => None,
        Block::ToolUse {
            name: tool, input, ..
        } => {
            let input = excerpt(&input.to_string(), INPUT_BYTES).replace('\n', " ");
            Some(format!("[call of {tool} in {name}] {input}"))
        }
        other => Some(other.plain_text()),
    });
    let lines: Vec<String> = lines.filter(|line| !line.trim().is_empty()).collect();
    if lines.is_empty() {
        return LlmAction::Skip;
    }
    LlmAction::Include(Message::Assistant(AssistantMessage {
        content: vec![Block::text(without_our_tags(&lines.join("\n")))],
        model: answer.model.clone(),
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
        partial: answer.partial,
        meta: Meta::default(),
    }))
}

fn result_text(message: &ToolResultMessage, name: &str) -> String {
    let result = message.result();
    let failed = if result.is_error { ", failed" } else { "" };
    let tool = &message.tool_name;
    let content = excerpt(&Block::plain_text_of(&result.content), RESULT_BYTES);
    reminder(&format!("[result of {tool} in {name}{failed}]\n{content}"))
}
