//! What a session has done for a task, read from its log.

use std::sync::Arc;

use scorel_proto::{
    AssistantMessage, Block, EventId, Message, OutcomeReason, PersistentBody, PersistentEvent,
    RuntimeMetadata, Seq,
};

use crate::SessionError;
use crate::lane::Lane;
use crate::lane::read::decoded;

/// How many records are read at a time.
const PAGE: usize = 64;

/// How many of the last records are looked at for what a session does.
const RECENT: usize = 8;

/// What a session has done since an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunReport {
    /// Its last turn, model calls, and what these and its own runtimes cost. The duration is not known here.
    pub metadata: RuntimeMetadata,
    /// What the agent said last.
    pub last_message: String,
    pub outcome: Option<OutcomeReason>,
    /// Why the last turn failed.
    pub error: Option<String>,
}

impl Lane {
    /// What the session has done in events after `seq`. Reads them all, some at a time.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub async fn run_report(self: &Arc<Self>, after: Seq) -> Result<RunReport, SessionError> {
        let mut report = RunReport::default();
        let mut seq = after;
        loop {
            let places = {
                let published = self.published();
                published.check_exists()?;
                let places = published.places_after(seq);
                places[..places.len().min(PAGE)].to_vec()
            };
            let Some(last) = places.last().map(|place| place.seq) else {
                report.metadata.cost += self.view(|view| view.state.runtimes.cost_since(after));
                return Ok(report);
            };
            for line in self.read_lines(places).await? {
                // An event that this version cannot read says nothing here.
                if let Ok(event) = decoded(&line) {
                    report.add(&event);
                }
            }
            seq = last;
        }
    }

    /// What the session does, in at most `chars` characters, and the event that says so. `None` if it has
    /// done nothing yet.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub async fn doing(
        self: &Arc<Self>,
        chars: usize,
    ) -> Result<Option<(String, EventId)>, SessionError> {
        let places = {
            let published = self.published();
            published.check_exists()?;
            let all = published.places_after(Seq::ZERO);
            all[all.len().saturating_sub(RECENT)..].to_vec()
        };
        let lines = self.read_lines(places).await?;
        let mut newest = lines.iter().rev().filter_map(|line| decoded(line).ok());
        Ok(newest.find_map(|event| Some((doing(&event, chars)?, event.id))))
    }
}

impl RunReport {
    fn add(&mut self, event: &PersistentEvent) {
        if let Some(turn_id) = event.turn_id {
            self.metadata.turn_id = Some(turn_id);
        }
        if let Some(call) = event.recorded_call() {
            let usage = call.usage.unwrap_or_default();
            self.metadata.usage += usage;
            self.metadata.cost.add(&usage, call.cost);
        }
        match &event.body {
            PersistentBody::Message(body) => {
                if let Message::Assistant(message) = &body.message {
                    self.metadata.steps = self.metadata.steps.saturating_add(1);
                    let text = text(message);
                    if !text.is_empty() {
                        self.last_message = text;
                    }
                }
            }
            PersistentBody::TurnOutcome(body) => {
                self.outcome = Some(body.reason);
                self.error = body.error.as_ref().map(|error| error.message.clone());
            }
            _ => {}
        }
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

fn doing(event: &PersistentEvent, chars: usize) -> Option<String> {
    let PersistentBody::Message(body) = &event.body else {
        return None;
    };
    let said = match &body.message {
        Message::Assistant(message) => {
            let call = message.tool_uses().last();
            match call {
                Some(Block::ToolUse { name, input, .. }) => format!("{name} {input}"),
                _ => text(message),
            }
        }
        Message::ToolResult(message) if message.result().is_error => {
            format!("{} failed", message.tool_name)
        }
        Message::ToolResult(message) => format!("{} done", message.tool_name),
        Message::User(_) | Message::Internal(_) => return None,
    };
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line.chars().take(chars).collect())
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
