//! What a session has done for a task, read from its log.

use std::sync::Arc;

use scorel_proto::{
    AgentTaskMetadata, AssistantMessage, Block, EventId, Message, OutcomeReason, PersistentBody,
    PersistentEvent, Seq,
};
use scorel_session::{Lane, SessionError};

use crate::task_lane::TaskLane as _;

/// How many records are read at a time.
const PAGE: usize = 64;

/// How many of the last records are looked at for what a session does.
const RECENT: usize = 8;

/// What a session has done since an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RunReport {
    /// Its last turn, model calls, and what these and its own runtimes cost. The duration is not known here.
    pub(crate) metadata: AgentTaskMetadata,
    /// What the agent said last.
    pub(crate) last_message: String,
    pub(crate) outcome: Option<OutcomeReason>,
    /// The reason why the last turn failed, and what helps.
    pub(crate) error: Option<String>,
}

impl RunReport {
    /// What the session has done in events after `seq`. Reads them all, some at a time.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub(crate) async fn read(lane: &Arc<Lane>, after: Seq) -> Result<Self, SessionError> {
        let mut report = Self::default();
        let mut seq = after;
        loop {
            let (events, last) = lane.records_after(seq, PAGE).await?;
            let Some(last) = last else {
                let tasks = lane.runtimes(|all| all.used_since(after));
                report.metadata.usage += tasks.usage;
                report.metadata.cost += tasks.cost;
                let given = tasks.tasks.saturating_add(tasks.spawned);
                report.metadata.spawned = u32::try_from(given).unwrap_or(u32::MAX);
                return Ok(report);
            };
            events.iter().for_each(|event| report.add(event));
            seq = last;
        }
    }

    fn add(&mut self, event: &PersistentEvent) {
        if let Some(turn_id) = event.turn_id {
            self.metadata.turn_id = Some(turn_id);
        }
        if let Some(call) = event.recorded_call() {
            let usage = call.usage.unwrap_or_default();
            self.metadata.usage += usage;
            self.metadata.cost.add(&usage, call.cost);
        }
        if let Some(message) = answer(event) {
            self.metadata.steps = self.metadata.steps.saturating_add(1);
            let text = text(message);
            if !text.is_empty() {
                self.last_message = text;
            }
        }
        if let PersistentBody::TurnOutcome(body) = &event.body {
            self.outcome = Some(body.reason);
            self.error = body.error.as_ref().map(|error| match &error.hint {
                Some(hint) => format!("{}; {hint}", error.message),
                None => error.message.clone(),
            });
        }
    }
}

/// The session's work since the event `after`, in at most `chars` characters, and the event that
/// says so. `None` if it has done nothing yet.
///
/// # Errors
///
/// If the log cannot be read.
pub(crate) async fn doing(
    lane: &Arc<Lane>,
    after: Seq,
    chars: usize,
) -> Result<Option<(String, EventId)>, SessionError> {
    let events = lane.last_records(after, RECENT).await?;
    let mut newest = events.iter().enumerate().rev();
    Ok(newest.find_map(|(at, event)| Some((described(event, &events[..at], chars)?, event.id))))
}

fn answer(event: &PersistentEvent) -> Option<&AssistantMessage> {
    let PersistentBody::Message(body) = &event.body else {
        return None;
    };
    match &body.message {
        Message::Assistant(message) => Some(message),
        _ => None,
    }
}

/// The text of an answer, without its reasoning and calls. Of a text that was too large for its record
/// this is the beginning.
fn text(message: &AssistantMessage) -> String {
    let texts = message.content.iter().filter_map(|block| match block {
        Block::Text { .. } | Block::Blob { .. } => Some(block.plain_text()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The work of the session by one event; `before` are the events that led to it.
fn described(event: &PersistentEvent, before: &[PersistentEvent], chars: usize) -> Option<String> {
    let PersistentBody::Message(body) = &event.body else {
        return None;
    };
    let said = match &body.message {
        Message::Assistant(message) => match message.tool_uses().last() {
            Some(Block::ToolUse { name, input, .. }) => format!("{name} {input}"),
            _ => text(message),
        },
        Message::ToolResult(message) => {
            let result = message.result();
            let called = called(before, &result.tool_use_id);
            let what = called.unwrap_or_else(|| message.tool_name.clone());
            match result.is_error {
                true => format!("tool error: {what}"),
                false => format!("tool call success: {what}"),
            }
        }
        Message::User(_) | Message::Internal(_) => return None,
    };
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line.chars().take(chars).collect())
}

/// The command of a call, or its tool with what that is about.
fn called(before: &[PersistentEvent], tool_call_id: &str) -> Option<String> {
    let answers = before.iter().rev().filter_map(answer);
    let mut calls = answers.flat_map(AssistantMessage::tool_uses);
    calls.find_map(|call| match call {
        Block::ToolUse {
            id, name, input, ..
        } if id == tool_call_id => {
            // By name: another text may be the content of a file, or a secret.
            let about = ["path", "file_path", "pattern", "url", "query", "title"];
            let text = about.iter().find_map(|name| input[*name].as_str());
            Some(match (input["command"].as_str(), text) {
                (Some(command), _) => command.to_owned(),
                (None, Some(text)) => format!("{name} {text}"),
                (None, None) => name.clone(),
            })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use scorel_proto::{Meta, StopReason};

    use super::*;

    #[test]
    fn an_answer_that_became_a_blob_is_told_by_its_beginning() {
        let blob = Block::Blob {
            sha256: "0".repeat(64).parse().unwrap(),
            size: 26,
            media_type: "text/plain".to_owned(),
            preview: "The answer".to_owned(),
        };
        let message = AssistantMessage {
            content: vec![blob],
            model: "m".to_owned(),
            stop_reason: StopReason::EndTurn,
            usage: None,
            cost: None,
            partial: false,
            meta: Meta::default(),
        };
        assert_eq!(text(&message), "The answer\n[26 bytes in all]");
    }
}
