//! Events of turns that a runner runs: its start, its context, its log and its end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    BlobHash, EventId, FileChange, LogEntry, RecordedFiles, RunnerLogStream, SignalName, TurnId,
};

/// Body of `runner_start`. The prompt goes to the runner after it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnerStartBody {
    /// The runner's name in the configuration, such as `codex`.
    pub runner: String,
    /// The run; the same as `turnId`.
    pub trace_id: TurnId,
    /// The program with its arguments. They hold no prompt and no secret.
    pub command: Vec<String>,
    /// The directory that it works in, absolute.
    pub cwd: String,
    /// Its version, if it tells one.
    pub version: Option<String>,
    /// True if the turn goes on in a context that the runner has.
    pub context: RunnerContextOrigin,
    /// The runner's own id of the context; absent if it is not known before the first prompt.
    pub context_id: Option<String>,
    /// The part of the conversation that precedes the prompt, because the runner's context lacks it;
    /// absent if nothing is missing.
    pub handover: Option<RunnerHandover>,
}

/// Where the context of a run comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunnerContextOrigin {
    /// It is made for the run.
    New,
    /// It was made by an earlier run.
    Resumed,
}

/// The part of a conversation that a runner is told as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnerHandover {
    /// The first event of the part.
    pub from_event_id: EventId,
    /// The last event of the part.
    pub through_event_id: EventId,
    /// The size of the text in bytes.
    pub bytes: u64,
    /// The blob that holds the text.
    pub blob: BlobHash,
}

/// Body of `runner_context`: a runner is bound to a context, or to none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnerContextBody {
    /// The runner's name in the configuration.
    pub runner: String,
    /// The runner's own id of the context. `null` unbinds: the next turn begins a new one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub context_id: Option<String>,
    /// The directory in which the context can be resumed, absolute.
    pub cwd: String,
    /// Why it changed, for people; absent if the runner just named its context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Body of `runner_exit`. There is one for each `runner_start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnerExitBody {
    /// The run; the same as `turnId`.
    pub trace_id: TurnId,
    /// The exit code; `null` if the process was killed, is kept, or ended unobserved.
    #[serde(deserialize_with = "Option::deserialize")]
    pub code: Option<i32>,
    /// The signal that killed the process, such as `SIGKILL`; `null` if none did.
    #[serde(deserialize_with = "Option::deserialize")]
    pub signal: Option<SignalName>,
    /// True if the process waits for the session's next turn.
    pub kept: bool,
    /// The time since `runner_start`, in milliseconds.
    pub duration_ms: u64,
    /// The log of the runner; absent if it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<RunnerLogBlob>,
    /// The files of the project that changed during the run, `by: runner`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
    /// Why there may be more changes of files than these; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwatched: Option<String>,
}

impl RunnerExitBody {
    /// The same end, with the files that the run changed.
    #[must_use]
    pub fn recording(self, recorded: RecordedFiles) -> Self {
        Self {
            files: recorded.files,
            unwatched: recorded.unwatched,
            ..self
        }
    }
}

/// The log of a run, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnerLogBlob {
    /// The blob that holds the end of the log.
    pub blob: BlobHash,
    /// The size of the blob in bytes.
    pub bytes: u64,
    /// The number of bytes of the log that were before that, and are not kept.
    pub dropped_bytes: u64,
    /// Where the text of the blob comes from, in its order; empty in logs of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<RunnerLogPart>,
}

impl RunnerLogBlob {
    /// The entries of the log, from the text of the blob.
    pub fn entries(&self, text: &str) -> Vec<LogEntry> {
        let whole = [RunnerLogPart {
            stream: RunnerLogStream::Stdout,
            bytes: text.len() as u64,
            timestamp: None,
        }];
        let parts = match self.parts.as_slice() {
            [] => &whole[..],
            parts => parts,
        };
        let mut from = 0_usize;
        let entry = |part: &RunnerLogPart| {
            // An imported log may say anything.
            let begin = from;
            from = begin.checked_add(usize::try_from(part.bytes).ok()?)?;
            Some(LogEntry {
                id: self.dropped_bytes.checked_add(begin as u64)?.to_string(),
                stream: part.stream,
                text: text.get(begin..from)?.to_owned(),
                timestamp: part.timestamp,
            })
        };
        parts.iter().map_while(entry).collect()
    }
}

/// A part of a runner's log that is of one stream.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunnerLogPart {
    /// Where the text comes from.
    pub stream: RunnerLogStream,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it began, in milliseconds since 1970.
    pub timestamp: Option<u64>,
}

/// Body of `runner_log`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunnerLog {
    /// Where the text comes from.
    pub stream: RunnerLogStream,
    /// The text to append. Not escaped: it may contain terminal control sequences.
    pub text: String,
}
