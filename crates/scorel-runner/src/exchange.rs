//! The output of a dialect: events for the driver, and messages to the program.

use std::collections::VecDeque;

use scorel_engine::{RunnerError, RunnerErrorKind, RunnerEvent, RunnerLogStream};
use serde::Serialize;

/// Bytes that are kept of the first lines that are not messages.
const SAID: usize = 2 * 1024;

/// Collects events for the driver and messages to the program.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    events: VecDeque<RunnerEvent>,
    outgoing: Vec<u8>,
    ends_input: bool,
    /// The first lines that are not messages. A program other than a runner says there which it is.
    said: String,
}

impl Exchange {
    pub(crate) fn event(&mut self, event: RunnerEvent) {
        self.events.push_back(event);
    }

    /// A text for people.
    pub(crate) fn notice(&mut self, text: impl Into<String>) {
        self.log_line(RunnerLogStream::Notice, text.into());
    }

    /// A message that the dialect does not know. A newer program may be at work.
    pub(crate) fn unknown(&mut self, line: &[u8]) {
        self.event(RunnerEvent::Progress);
        let text = String::from_utf8_lossy(line).into_owned();
        self.log_line(RunnerLogStream::Stdout, text);
    }

    /// A line that is not a message.
    pub(crate) fn junk(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line).into_owned();
        if self.said.len() < SAID {
            self.said.extend(text.chars().take(SAID));
            self.said.push('\n');
        }
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

    pub(crate) fn said(&self) -> &str {
        self.said.trim()
    }

    pub(crate) fn next_event(&mut self) -> Option<RunnerEvent> {
        self.events.pop_front()
    }

    pub(crate) fn take_outgoing(&mut self) -> (Vec<u8>, bool) {
        let ends = std::mem::take(&mut self.ends_input);
        (std::mem::take(&mut self.outgoing), ends)
    }
}
