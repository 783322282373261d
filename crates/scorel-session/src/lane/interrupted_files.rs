use std::sync::Arc;

use scorel_files::FileRecorder;
use scorel_proto::{ChangedBy, OpenCall, RecordedFiles};

use super::{Lane, Section};
use crate::SessionError;

impl Lane {
    pub(crate) fn recorder(&self) -> Result<Arc<FileRecorder>, SessionError> {
        self.resources().files().map_err(|error| {
            SessionError::Filesystem(format!("the project's files cannot be used: {error}"))
        })
    }
}

impl Section<'_> {
    /// The changes of files by an interrupted run of a runner. Blocks on the disk.
    pub(super) fn interrupted_run_files(&self) -> RecordedFiles {
        let recorded = match self.lane.recorder() {
            Ok(recorder) => recorder.command_interrupted().unwrap_or_default(),
            Err(error) => unwatched(&error),
        };
        recorded.by(ChangedBy::Runner)
    }

    /// The changes of files by an interrupted call, if they can be found out. Blocks on the disk.
    pub(super) fn interrupted_files(&self, call: &OpenCall) -> RecordedFiles {
        // The run of a runner includes what its calls did.
        if call.started.is_none() || call.ran_by.is_some() {
            return RecordedFiles::default();
        }
        match self.lane.recorder() {
            Ok(recorder) if call.files.is_empty() => {
                recorder.command_interrupted().unwrap_or_default()
            }
            Ok(recorder) => {
                let files = call.files.iter();
                let files = files.filter_map(|before| recorder.interrupted(before));
                RecordedFiles {
                    files: files.collect(),
                    unwatched: None,
                }
            }
            Err(_) if call.files.is_empty() => RecordedFiles::default(),
            Err(error) => unwatched(&error),
        }
    }
}

fn unwatched(reason: &SessionError) -> RecordedFiles {
    RecordedFiles {
        files: Vec::new(),
        unwatched: Some(reason.to_string()),
    }
}
