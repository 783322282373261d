//! `output = "events"`: each line is an event.

use scorel_engine::{
    RunnerEnd, RunnerError, RunnerErrorKind, RunnerEvent, RunnerInput, RunnerLogStream,
    foreign_json,
};
use scorel_exec::{RunEnd, ShellExit};
use serde::Deserialize;
use serde_json::Value;

use super::claude_message;
use super::prompt::write_prompt;
use crate::dialect::{Dialect, ended};
use crate::exchange::Exchange;

/// The events that a command writes. Those of its process (`start`, `exit`) come from the process.
#[derive(Debug, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
enum CommandEvent {
    Start,
    Exit,
    Context {
        context_id: String,
    },
    Log {
        stream: LogStream,
        data: String,
    },
    Error {
        message: String,
    },
    Text {
        text: String,
        /// True if more of the same text may follow.
        #[serde(default)]
        delta: bool,
    },
    /// A message as Claude Code writes it.
    ClaudeMessage {
        message_type: String,
        #[serde(default)]
        content: Option<String>,
        #[serde(default)]
        raw: Value,
    },
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LogStream {
    Stdout,
    Stderr,
}

#[derive(Debug)]
pub(crate) struct EventsDialect {
    context: Option<String>,
    /// What the command says that went wrong.
    error: Option<String>,
}

impl EventsDialect {
    pub(crate) const fn new(context: Option<String>) -> Self {
        Self {
            context,
            error: None,
        }
    }

    fn event(&mut self, event: CommandEvent, line: &[u8], out: &mut Exchange) {
        match event {
            CommandEvent::Start | CommandEvent::Exit => {}
            CommandEvent::Context { context_id } => self.bind(context_id, out),
            CommandEvent::Log { stream, data } => {
                let stream = match stream {
                    LogStream::Stdout => RunnerLogStream::Stdout,
                    LogStream::Stderr => RunnerLogStream::Stderr,
                };
                out.event(RunnerEvent::Progress);
                out.log_line(stream, data);
            }
            CommandEvent::Error { message } => self.error = Some(message),
            CommandEvent::Text { text, delta } => {
                out.event(RunnerEvent::Text { delta: text });
                if !delta {
                    out.event(RunnerEvent::PartEnd);
                }
            }
            CommandEvent::ClaudeMessage {
                message_type,
                content,
                raw,
            } => match message_type.as_str() {
                "init" => {
                    if let Some(id) = raw["session_id"].as_str() {
                        self.bind(id.to_owned(), out);
                    }
                }
                "assistant" => claude_message::assistant(content, &raw, out),
                "user" => claude_message::user(&raw, out),
                "result" => claude_message::result(&raw, out),
                _ => out.unknown(line),
            },
        }
    }

    fn bind(&mut self, id: String, out: &mut Exchange) {
        self.context = Some(id.clone());
        out.event(RunnerEvent::Context { id });
    }
}

impl Dialect for EventsDialect {
    fn open(&mut self, _: &mut Exchange) -> Result<(), RunnerError> {
        Ok(())
    }

    fn is_open(&self) -> bool {
        true
    }

    fn context_id(&self) -> Option<&str> {
        self.context.as_deref()
    }

    fn receive(&mut self, piece: &[u8], out: &mut Exchange) -> Result<(), RunnerError> {
        match foreign_json(piece) {
            Ok(event) => self.event(event, piece, out),
            Err(_) => out.junk(piece),
        }
        Ok(())
    }

    fn prompt(&mut self, input: Vec<RunnerInput>, out: &mut Exchange) -> Result<(), RunnerError> {
        write_prompt(&input, out)
    }

    fn ended(&mut self, end: &RunEnd, errors: &str) -> Result<RunnerEnd, RunnerError> {
        match (end.exit, self.error.take()) {
            (Some(ShellExit::Code(0)), None) => Ok(RunnerEnd::Completed),
            (_, Some(error)) => Err(RunnerError::new(RunnerErrorKind::Failed, error)),
            _ => Err(ended(end, errors)),
        }
    }
}
