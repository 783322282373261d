use std::sync::Arc;

use scorel_engine::{CommandAccess, Permit, ToolOutcome};
use scorel_files::FileRecorder;
use scorel_proto::RecordedFiles;
use serde_json::Value;

use crate::session_files::SessionFiles;

/// The record of what one command does to the files of the project.
#[derive(Debug)]
pub(super) enum CommandRecording {
    /// It can do nothing to them, or the session keeps no records.
    Needless,
    /// The reason why its changes are not seen, for people.
    Unwatched(String),
    Watched(Arc<FileRecorder>),
}

impl CommandRecording {
    /// Prepares for a command that the call waits for. Copies files that have changed.
    pub(super) fn prepare(files: &SessionFiles, permit: &Permit) -> Self {
        match recorder(files, permit) {
            Some(recorder) => Self::watched(recorder.watch_command(), recorder),
            None => Self::Needless,
        }
    }

    fn watched(is_seen: Result<(), String>, recorder: Arc<FileRecorder>) -> Self {
        is_seen.map_or_else(Self::Unwatched, |()| Self::Watched(recorder))
    }

    /// Marks the command as started. Call it only after `tool_started` is durable: after a crash,
    /// changes are attributed to a call that has started.
    pub(super) fn begin(self) -> Self {
        match self {
            Self::Watched(recorder) => Self::watched(recorder.command_starts(), recorder),
            unwatched => unwatched,
        }
    }

    /// A command in the background goes on after its call.
    pub(super) fn of_background(files: &SessionFiles, permit: &Permit) -> Self {
        match recorder(files, permit) {
            Some(_) => Self::Unwatched("the command goes on in the background".to_owned()),
            None => Self::Needless,
        }
    }

    /// Adds what the command did to its outcome. Blocks on the disk.
    pub(super) fn end(self, all_ended: bool, outcome: &mut ToolOutcome) {
        let mut recorded = match self {
            Self::Needless => return,
            Self::Unwatched(reason) => RecordedFiles {
                files: Vec::new(),
                unwatched: Some(reason),
            },
            Self::Watched(recorder) => recorder.command_ended(),
        };
        if !all_ended {
            let reason = "processes of the command were still ending".to_owned();
            recorded.unwatched.get_or_insert(reason);
        }
        if let (Some(reason), Some(Value::Object(details))) =
            (&recorded.unwatched, &mut outcome.details)
        {
            details.insert("unwatched".to_owned(), Value::String(reason.clone()));
        }
        *outcome.recorded = recorded;
    }
}

/// The session's recorder, if a command with this permit may change files of the project.
fn recorder(files: &SessionFiles, permit: &Permit) -> Option<Arc<FileRecorder>> {
    let recorder = files.host.recorder.as_ref();
    let writes = permit.command != CommandAccess::Readonly;
    recorder.filter(|_| writes).cloned()
}
