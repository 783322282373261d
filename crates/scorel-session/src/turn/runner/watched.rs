//! What a run does to the files of the project.
//!
//! A runner changes files in ways that nothing tells, so the files from before the run are compared with
//! those after it. Once a run, not once a call: a comparison looks at every file of the project.

use std::sync::Arc;

use scorel_files::FileRecorder;
use scorel_proto::{ChangedBy, RecordedFiles};

use crate::lane::Lane;
use crate::{SessionError, blocking};

/// The files of a run.
pub(super) enum WatchedFiles {
    Watched(Arc<FileRecorder>),
    /// The reason why its changes are not seen, for people.
    Unwatched(String),
}

impl WatchedFiles {
    /// Copies the state of the files before the run.
    pub(super) async fn begin(lane: &Arc<Lane>) -> Result<Self, SessionError> {
        let lane = Arc::clone(lane);
        blocking(move || match lane.recorder() {
            Ok(recorder) => match recorder.watch_command() {
                Ok(()) => Self::Watched(recorder),
                Err(reason) => Self::Unwatched(reason),
            },
            Err(error) => Self::Unwatched(error.to_string()),
        })
        .await
    }

    /// Marks the run as started: it is recorded and about to get its prompt. After a crash the next
    /// daemon looks for its changes.
    pub(super) async fn start(&mut self) -> Result<(), SessionError> {
        if let Self::Watched(recorder) = self {
            let recorder = Arc::clone(recorder);
            if let Err(reason) = blocking(move || recorder.command_starts()).await? {
                *self = Self::Unwatched(reason);
            }
        }
        Ok(())
    }

    /// The files that have changed since [`Self::begin`].
    pub(super) async fn end(self) -> Result<RecordedFiles, SessionError> {
        match self {
            Self::Watched(recorder) => {
                let recorded = blocking(move || recorder.command_ended()).await?;
                Ok(recorded.by(ChangedBy::Runner))
            }
            Self::Unwatched(reason) => Ok(RecordedFiles {
                files: Vec::new(),
                unwatched: Some(reason),
            }),
        }
    }
}
