//! The output of a dialect: events for the driver, and messages to the program.

use std::collections::VecDeque;

use scorel_runtime::{RunnerError, RunnerErrorKind, RunnerEvent, RunnerLogStream};
use serde::Serialize;

/// Collects events for the driver and messages to the program.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    events: VecDeque<RunnerEvent>,
    /// What the events of the log take.
    log_bytes: usize,
    outgoing: Vec<u8>,
    ends_input: bool,
}

impl Exchange {
    pub(crate) fn event(&mut self, event: RunnerEvent) {
        self.log_bytes += log_cost(&event);
        self.events.push_back(event);
    }

    /// A text for people.
    pub(crate) fn notice(&mut self, text: impl Into<String>) {
        self.log_line(RunnerLogStream::Notice, text.into());
    }

    /// A message that the dialect does not know.
    pub(crate) fn unknown(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line).into_owned();
        self.log_line(RunnerLogStream::Stdout, text);
    }

    /// Logs a line. Log texts are concatenated, so each ends with a newline.
    pub(crate) fn log_line(&mut self, stream: RunnerLogStream, mut text: String) {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        self.event(RunnerEvent::Log { stream, text });
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, message: &impl Serialize) -> Result<(), RunnerError> {
        let written = serde_json::to_writer(&mut self.outgoing, message);
        written.map_err(|error| {
            RunnerError::new(RunnerErrorKind::Failed, format!("cannot send: {error}"))
        })?;
        self.outgoing.push(b'\n');
        Ok(())
    }

    /// Sends text as it is.
    pub(crate) fn send_text(&mut self, text: &str) {
        self.outgoing.extend_from_slice(text.as_bytes());
    }

    /// Ends the program's input after the outgoing bytes.
    pub(crate) fn end_input(&mut self) {
        self.ends_input = true;
    }

    /// Drops the oldest log texts above `max` bytes while events are not consumed. Acts only at twice
    /// that size, so that not every text causes a scan.
    pub(crate) fn shorten_log(&mut self, max: usize) {
        if self.log_bytes <= max.saturating_mul(2) {
            return;
        }
        let mut kept = 0;
        let mut events: VecDeque<RunnerEvent> = VecDeque::new();
        for event in std::mem::take(&mut self.events).into_iter().rev() {
            let cost = log_cost(&event);
            if cost == 0 || kept + cost <= max {
                kept += cost;
                events.push_front(event);
            }
        }
        (self.events, self.log_bytes) = (events, kept);
    }

    pub(crate) fn next_event(&mut self) -> Option<RunnerEvent> {
        let event = self.events.pop_front()?;
        self.log_bytes -= log_cost(&event);
        Some(event)
    }

    pub(crate) fn take_outgoing(&mut self) -> (Vec<u8>, bool) {
        let ends = std::mem::take(&mut self.ends_input);
        (std::mem::take(&mut self.outgoing), ends)
    }
}

/// What an event of the log takes, in bytes; 0 for others.
fn log_cost(event: &RunnerEvent) -> usize {
    match event {
        RunnerEvent::Log { text, .. } => text.len() + size_of::<RunnerEvent>(),
        _ => 0,
    }
}
