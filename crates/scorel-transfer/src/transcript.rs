//! Transcripts of other agents, as turns of a session.
//!
//! In: a file of JSON lines that Claude Code or Codex has written. Out: messages in order, each call with
//! its result, each turn with its end, and a report in which each line counts once. A reader knows one
//! tool's lines; `Conversation` knows what makes a well-formed history.

mod claude;
mod claude_line;
mod codex;
mod codex_item;
mod content;
mod conversation;
mod error;
mod item;
mod lines;
mod report;

use std::fs::File;

use scorel_proto::ImportTool;
use serde_json::Value;

pub use error::{TranscriptError, TranscriptProblem};
pub use item::{ReadTranscript, TranscriptItem, TranscriptSink};
pub use lines::{MAX_LINE, MAX_LINES};

use lines::Lines;

/// How many lines are looked at to tell which tool has written them.
const LOOKED_AT: usize = 100;

/// A transcript, open for reading.
#[derive(Debug)]
pub struct Transcript {
    file: File,
    /// How much of it is read: its tool may still be writing.
    len: u64,
    tool: ImportTool,
    id: String,
}

/// The tool that has written a line, if the line tells.
fn tool_of(line: &Value) -> Option<ImportTool> {
    if claude_line::is_one(line) {
        Some(ImportTool::ClaudeCode)
    } else if codex_item::is_one(line) {
        Some(ImportTool::Codex)
    } else {
        None
    }
}

impl Transcript {
    /// Recognises the first `len` bytes of a file.
    ///
    /// # Errors
    ///
    /// [`TranscriptProblem::UnknownFormat`] if no known tool has written them.
    pub fn recognise(file: File, len: u64) -> Result<Self, TranscriptProblem> {
        let mut lines = Lines::new(&file, len)?;
        let mut tool = None;
        let mut id = None;
        for _ in 0..LOOKED_AT {
            let Some(line) = lines.next()? else { break };
            let Ok(value) = serde_json::from_slice::<Value>(line.bytes) else {
                continue;
            };
            id = id.or_else(|| claude_line::id(&value).or_else(|| codex_item::id(&value)));
            tool = tool.or_else(|| tool_of(&value));
            if tool.is_some() && id.is_some() {
                break;
            }
        }
        Ok(Self {
            tool: tool.ok_or(TranscriptProblem::UnknownFormat)?,
            id: id.unwrap_or_default(),
            file,
            len,
        })
    }

    /// The tool's name of the conversation; empty if it does not say.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    #[must_use]
    pub const fn tool(&self) -> ImportTool {
        self.tool
    }

    /// Gives the conversation to `sink`.
    ///
    /// # Errors
    ///
    /// See [`TranscriptProblem`]; what `sink` refuses with.
    pub fn read<S: TranscriptSink>(
        &self,
        sink: &mut S,
    ) -> Result<ReadTranscript, TranscriptError<S::Error>> {
        let read = match self.tool {
            ImportTool::Codex => codex::read(&self.file, self.len, sink)?,
            _ => claude::read(&self.file, self.len, sink)?,
        };
        if read.report.messages == 0 {
            return Err(TranscriptProblem::Empty.into());
        }
        Ok(read)
    }
}
