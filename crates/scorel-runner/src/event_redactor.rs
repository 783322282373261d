//! Redacting secrets that span several events.

use std::collections::VecDeque;

use scorel_engine::RunnerEvent;
use scorel_process::{SecretRedactor, Secrets};
use serde_json::Value;

/// A model may stream a secret in several deltas, one in each line of the program, so text is held back
/// while it may be a prefix of a secret.
#[derive(Debug)]
pub(crate) struct EventRedactor {
    secrets: Secrets,
    text: SecretRedactor,
    thinking: SecretRedactor,
    ready: VecDeque<RunnerEvent>,
}

impl EventRedactor {
    pub(crate) fn new(secrets: Secrets) -> Self {
        Self {
            text: SecretRedactor::new(secrets.clone()),
            thinking: SecretRedactor::new(secrets.clone()),
            secrets,
            ready: VecDeque::new(),
        }
    }

    pub(crate) fn next(&mut self) -> Option<RunnerEvent> {
        self.ready.pop_front()
    }

    pub(crate) fn push(&mut self, event: RunnerEvent) {
        match event {
            RunnerEvent::Text { delta } => {
                self.end_thinking();
                let delta = text(self.text.push(delta.as_bytes()));
                self.tell(delta, |delta| RunnerEvent::Text { delta });
            }
            RunnerEvent::Thinking { delta } => {
                self.end_text();
                let delta = text(self.thinking.push(delta.as_bytes()));
                self.tell(delta, |delta| RunnerEvent::Thinking { delta });
            }
            RunnerEvent::CallUpdate {
                call_id,
                mut partial,
            } => {
                self.cut(&mut partial);
                self.ready
                    .push_back(RunnerEvent::CallUpdate { call_id, partial });
            }
            RunnerEvent::PartEnd
            | RunnerEvent::Call(_)
            | RunnerEvent::CallEnd(_)
            | RunnerEvent::Ask(_)
            | RunnerEvent::End(_) => {
                self.end();
                self.ready.push_back(event);
            }
            RunnerEvent::Context { .. }
            | RunnerEvent::Log { .. }
            | RunnerEvent::Plan { .. }
            | RunnerEvent::Progress
            | RunnerEvent::Model { .. }
            | RunnerEvent::AskWithdrawn { .. }
            | RunnerEvent::Serve { .. }
            | RunnerEvent::Spent(_) => self.ready.push_back(event),
        }
    }

    /// Nothing more of a text comes.
    pub(crate) fn end(&mut self) {
        self.end_text();
        self.end_thinking();
    }

    fn end_text(&mut self) {
        let delta = text(self.text.end());
        if !delta.is_empty() {
            self.ready.push_back(RunnerEvent::Text { delta });
        }
    }

    fn end_thinking(&mut self) {
        let delta = text(self.thinking.end());
        if !delta.is_empty() {
            self.ready.push_back(RunnerEvent::Thinking { delta });
        }
    }

    /// A delta that is held back completely still proves that the program is alive, so it becomes
    /// `Progress`.
    fn tell(&mut self, delta: String, event: impl FnOnce(String) -> RunnerEvent) {
        self.ready.push_back(match delta.is_empty() {
            true => RunnerEvent::Progress,
            false => event(delta),
        });
    }

    fn cut(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.secrets.cut(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.cut(value)),
            Value::Object(values) => values.values_mut().for_each(|value| self.cut(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// A secret begins and ends with a whole character.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
