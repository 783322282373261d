use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::OWN_RUNNER;
use crate::{
    Block, Event, LogEntry, Message, OutcomeReason, PersistentBody, PersistentEvent, RunnerLogBlob,
    RunnerLogTail, TransientBody, TurnId, TurnOutcomeBody,
};

/// One turn as one message: what ran it, what it answered and how it ended. Folded from the turn's
/// events, which may be given with all others of the session.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnSummary {
    /// The run: the turn's id.
    pub trace_id: TurnId,
    /// The state of the turn.
    pub status: TurnStatus,
    /// The name of the runner in the configuration; `scorel` is the daemon's own engine.
    pub runner: String,
    /// When the turn began, in milliseconds since 1970; absent before its first event.
    pub started_at: Option<u64>,
    /// The runner's context; absent for the own engine, and until the runner names it.
    pub context_id: Option<String>,
    /// The end of the runner's log. Folded from events it is empty unless they include the transient ones.
    #[serde(with = "log_entries")]
    #[schemars(with = "Vec<LogEntry>")]
    pub logs: RunnerLogTail,
    /// The same as it is kept once the runner has ended.
    pub log: Option<RunnerLogBlob>,
    /// The text of the last message that has any.
    pub output: Option<String>,
    /// Why it did not succeed; present for `error`.
    pub error_message: Option<String>,
}

/// The state of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// It has no outcome.
    Running,
    /// It completed.
    Success,
    /// It ended otherwise.
    Error,
}

impl TurnSummary {
    /// The summary of a turn before its first event.
    pub fn new(turn_id: TurnId) -> Self {
        Self {
            trace_id: turn_id,
            status: TurnStatus::Running,
            runner: OWN_RUNNER.to_owned(),
            started_at: None,
            context_id: None,
            logs: RunnerLogTail::default(),
            log: None,
            output: None,
            error_message: None,
        }
    }

    /// Folds one more event. Those of other turns change nothing, nor do those after the outcome.
    pub fn apply(&mut self, event: &Event) {
        if event.turn_id() != Some(self.trace_id) || self.status != TurnStatus::Running {
            return;
        }
        self.started_at.get_or_insert_with(|| event.ts());
        match event {
            Event::Persistent(event) => self.apply_persistent(event),
            Event::Transient(event) => {
                if let TransientBody::RunnerLog(log) = &event.body {
                    self.logs.push(log, event.ts);
                }
            }
            Event::Unknown(_) => {}
        }
    }

    fn apply_persistent(&mut self, event: &PersistentEvent) {
        match &event.body {
            PersistentBody::RunnerStart(body) => {
                self.runner.clone_from(&body.runner);
                self.context_id.clone_from(&body.context_id);
            }
            PersistentBody::RunnerContext(body) => self.context_id.clone_from(&body.context_id),
            PersistentBody::RunnerExit(body) => self.log.clone_from(&body.log),
            PersistentBody::Message(body) => self.said(&body.message),
            PersistentBody::TurnOutcome(body) => self.ended(body),
            _ => {}
        }
    }

    fn said(&mut self, message: &Message) {
        let Message::Assistant(answer) = message else {
            return;
        };
        let texts = answer.content.iter().filter_map(|block| match block {
            Block::Text { text, .. } => Some(text.as_str()),
            Block::Blob { preview, .. } => Some(preview.as_str()),
            _ => None,
        });
        let text: Vec<&str> = texts.filter(|text| !text.trim().is_empty()).collect();
        if !text.is_empty() {
            self.output = Some(text.join("\n"));
        }
    }

    fn ended(&mut self, body: &TurnOutcomeBody) {
        if body.reason == OutcomeReason::Completed {
            self.status = TurnStatus::Success;
            return;
        }
        self.status = TurnStatus::Error;
        self.error_message = Some(match &body.error {
            Some(error) => error.message.clone(),
            None => body.reason.text().to_owned(),
        });
    }
}

/// On the wire the log is its entries.
mod log_entries {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::RunnerLogTail;

    pub(super) fn serialize<S: Serializer>(
        logs: &RunnerLogTail,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        logs.texts.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<RunnerLogTail, D::Error> {
        Ok(RunnerLogTail {
            texts: Deserialize::deserialize(deserializer)?,
            dropped_bytes: 0,
        })
    }
}

#[cfg(test)]
mod tests;
